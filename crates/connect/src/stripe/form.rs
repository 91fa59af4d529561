//! Parameters as Stripe reads them: `line_items[0][price_data][unit_amount]=100`, in bodies and in queries.

use std::fmt::{Display, Write};

/// Fields in the order in which they were added, so that equal requests are equal bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    text: String,
}

impl Form {
    pub(super) fn new() -> Form {
        Form::default()
    }

    /// The first part is the name, the others stand in brackets; an empty one means "one more".
    pub(super) fn put(&mut self, path: &[&str], value: impl Display) {
        if !self.text.is_empty() {
            self.text.push('&');
        }
        for (depth, part) in path.iter().enumerate() {
            if depth > 0 {
                self.text.push('[');
            }
            escape(part, &mut self.text);
            if depth > 0 {
                self.text.push(']');
            }
        }
        self.text.push('=');
        escape(&value.to_string(), &mut self.text);
    }

    /// Nothing where there is nothing: to Stripe an empty value means "remove".
    pub(super) fn put_some(&mut self, path: &[&str], value: Option<impl Display>) {
        if let Some(value) = value {
            self.put(path, value);
        }
    }

    pub(super) fn put_all<'a>(&mut self, path: &[&str], fields: impl IntoIterator<Item = (&'a str, &'a str)>) {
        for (name, value) in fields {
            self.put(&[path, &[name]].concat(), value);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

fn escape(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let check = |path: &[&str], value: &str, expected: &str| {
            let mut form = Form::new();
            form.put(path, value);
            assert_eq!(form.into_text(), expected);
        };
        check(&["mode"], "payment", "mode=payment");
        check(&["metadata", "hold"], "7", "metadata[hold]=7");
        check(&["line_items", "0", "price_data", "unit_amount"], "100", "line_items[0][price_data][unit_amount]=100");
        check(&["types", ""], "charge.refunded", "types[]=charge.refunded");
        check(&["name"], "", "name=");
        check(&["name"], "Two nights & breakfast", "name=Two%20nights%20%26%20breakfast");
        check(&["name"], "a=b+c%", "name=a%3Db%2Bc%25");
        check(&["name"], "Quarto 1º", "name=Quarto%201%C2%BA");
        check(&["url"], "https://x.pt/ok?s={ID}", "url=https%3A%2F%2Fx.pt%2Fok%3Fs%3D%7BID%7D");
        check(&["metadata", "a[b]&c"], "\r\n\0", "metadata[a%5Bb%5D%26c]=%0D%0A%00");
        check(&["a-b_c.d~e"], "A-B_C.D~E", "a-b_c.d~e=A-B_C.D~E");
    }

    #[test]
    fn together() {
        let mut form = Form::new();
        assert!(form.is_empty());
        form.put(&["amount"], 100);
        form.put_some(&["reason"], None::<&str>);
        form.put_some(&["reason"], Some("duplicate"));
        form.put_all(&["payment_intent_data", "metadata"], [("a", "1"), ("b", "2")]);
        let expected =
            "amount=100&reason=duplicate&payment_intent_data[metadata][a]=1&payment_intent_data[metadata][b]=2";
        assert_eq!(form.into_text(), expected);
    }
}
