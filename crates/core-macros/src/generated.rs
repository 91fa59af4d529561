//! What follows from a declaration: the descriptor, and how values are put into columns and taken from them.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, Type};

use crate::declared::{COUNTERS_MAX, Due, Field, Group, Record, Role};

pub(crate) fn record(record: &Record) -> TokenStream {
    let Record { name, table, is_remembered, fields, .. } = record;
    let (columns, key, counters) = (columns_of(fields), key(fields), counters(fields));
    let (due, due_at) = due(record.due.as_ref());
    let names: Vec<&Ident> = fields.iter().map(|field| &field.name).collect();
    quote! {
        #[automatically_derived]
        impl crate::kernel::Record for #name {
            const TABLE: &'static crate::kernel::Table = {
                #columns
                &crate::kernel::Table {
                    name: #table,
                    columns: COLUMNS,
                    key_columns: crate::kernel::Field::count_keys(FIELDS),
                    due: #due,
                }
            };

            const IS_REMEMBERED: bool = #is_remembered;

            #key
            #counters

            fn write<'a>(&'a self, out: &mut dyn crate::kernel::Columns<'a>) {
                #(crate::kernel::Columnar::put(&self.#names, out);)*
            }

            fn read(row: &mut dyn crate::kernel::Row) -> ::std::result::Result<Self, crate::kernel::Corrupt> {
                ::std::result::Result::Ok(Self {
                    #(#names: crate::kernel::Columnar::take(row)?,)*
                    version: crate::kernel::Columnar::take(row)?,
                })
            }

            fn version(&self) -> i64 {
                self.version
            }

            fn set_version(&mut self, version: i64) {
                self.version = version;
            }

            #due_at
        }
    }
}

pub(crate) fn group(group: &Group) -> TokenStream {
    let Group { name, fields } = group;
    let columns = columns_of(fields);
    let (names, types): (Vec<&Ident>, Vec<&Type>) = fields.iter().map(|field| (&field.name, &field.ty)).unzip();
    quote! {
        #[automatically_derived]
        impl crate::kernel::Columnar for #name {
            const COLUMNS: &'static [crate::kernel::Column] = {
                #columns
                COLUMNS
            };

            const MAY_BE_NULL: bool = true #(&& <#types as crate::kernel::Columnar>::MAY_BE_NULL)*;

            fn put<'a>(&'a self, out: &mut dyn crate::kernel::Columns<'a>) {
                #(crate::kernel::Columnar::put(&self.#names, out);)*
            }

            fn take(row: &mut dyn crate::kernel::Row) -> ::std::result::Result<Self, crate::kernel::Corrupt> {
                ::std::result::Result::Ok(Self { #(#names: crate::kernel::Columnar::take(row)?,)* })
            }

            fn take_or_null(
                row: &mut dyn crate::kernel::Row,
            ) -> ::std::result::Result<::std::option::Option<Self>, crate::kernel::Corrupt> {
                let parts = (#(<#types as crate::kernel::Columnar>::take_or_null(row)?,)*);
                ::std::result::Result::Ok(match parts {
                    (#(::std::option::Option::Some(#names),)*) => ::std::option::Option::Some(Self { #(#names,)* }),
                    _ => ::std::option::Option::None,
                })
            }
        }
    }
}

/// The constants `FIELDS` and `COLUMNS`.
fn columns_of(fields: &[Field]) -> TokenStream {
    let fields = fields.iter().map(|field| {
        let Field { name, ty, columns, .. } = field;
        let name_text = name.to_string();
        let role = match field.role {
            Role::Key => quote!(.key()),
            Role::Fixed => quote!(.fixed()),
            Role::Changing => quote!(),
            Role::Counter => quote!(.counter()),
        };
        let json = if field.is_json { quote!(.json()) } else { quote!() };
        let named = if columns.is_empty() { quote!() } else { quote!(.named(&[#(#columns),*])) };
        // An error in evaluating this, such as a wrong number of names, is shown at the field.
        quote_spanned!(name.span()=> crate::kernel::Field::of::<#ty>(#name_text)#role #json #named)
    });
    quote! {
        const FIELDS: &[crate::kernel::Field] = &[#(#fields),*];
        const COLUMNS: &[crate::kernel::Column] =
            &crate::kernel::Field::columns::<{ crate::kernel::Field::count(FIELDS) }>(FIELDS);
    }
}

/// The key: nothing, the value of a field, or those of several.
fn key(fields: &[Field]) -> TokenStream {
    let key = fields.iter().filter(|field| field.role == Role::Key);
    let (names, types): (Vec<&Ident>, Vec<&Type>) = key.map(|field| (&field.name, &field.ty)).unzip();
    let (ty, value, pattern) = match (names.as_slice(), types.as_slice()) {
        ([], _) => (quote!(()), quote!(), quote!(())),
        ([name], [ty]) => (quote!(#ty), quote!(::std::clone::Clone::clone(&self.#name)), quote!(#name)),
        (names, types) => {
            (quote!((#(#types),*)), quote!((#(::std::clone::Clone::clone(&self.#names)),*)), quote!((#(#names),*)))
        }
    };
    let put = quote!(#(crate::kernel::Columnar::put(#names, out);)*);
    let out = if names.is_empty() { quote!(_) } else { quote!(out) };
    quote! {
        type Key = #ty;

        fn key(&self) -> Self::Key {
            #value
        }

        fn write_key<'a>(#pattern: &'a Self::Key, #out: &mut dyn crate::kernel::Columns<'a>) {
            #put
        }
    }
}

fn counters(fields: &[Field]) -> TokenStream {
    let counters = fields.iter().filter(|field| field.role == Role::Counter);
    let mut values: Vec<TokenStream> = counters.map(|field| &field.name).map(|name| quote!(self.#name)).collect();
    if values.is_empty() {
        return TokenStream::new();
    }
    values.resize(COUNTERS_MAX, quote!(0));
    quote! {
        fn counters(&self) -> crate::kernel::Counters {
            [#(#values),*]
        }
    }
}

/// The part of the descriptor, and the method that agrees with it.
fn due(due: Option<&Due>) -> (TokenStream, TokenStream) {
    let Some(Due { column, filter, records_max, at }) = due else {
        return (quote!(::std::option::Option::None), TokenStream::new());
    };
    let described = quote! {
        ::std::option::Option::Some(crate::kernel::Due {
            column: #column,
            filter: #filter,
            records_max: #records_max,
        })
    };
    let method = quote! {
        fn due_at(&self) -> ::std::option::Option<crate::kernel::Timestamp> {
            #at
        }
    };
    (described, method)
}
