//! Commands as one type, so that they stand in one list and in one request.

/// An enum of these commands that is a command itself: `deeds!(pub(crate) Deed, replies Reply, by Reply::from, of A, B)`.
#[macro_export]
macro_rules! deeds {
    ($visibility:vis $name:ident, replies $reply:ty, by $told:path, of $($command:ident),* $(,)?) => {
        #[derive(Clone, Debug)]
        $visibility enum $name {
            $($command($command),)*
        }

        $(impl From<$command> for $name {
            fn from(command: $command) -> $name {
                $name::$command(command)
            }
        })*

        impl ::surehold_core::kernel::Command for $name {
            const NAME: &'static str = "deed";
            type Reply = $reply;
            type Refusal = ::surehold_core::kernel::Refusal;

            fn reads(&self, reads: &mut ::surehold_core::kernel::Reads<'_>) {
                match self {
                    $($name::$command(command) => ::surehold_core::kernel::Command::reads(command, reads),)*
                }
            }

            fn decide(
                &self,
                facts: &mut ::surehold_core::kernel::Facts,
            ) -> Result<$reply, ::surehold_core::kernel::Stop<::surehold_core::kernel::Refusal>> {
                match self {
                    $($name::$command(command) => ::surehold_core::kernel::Command::decide(command, facts).map($told),)*
                }
            }
        }
    };
}
