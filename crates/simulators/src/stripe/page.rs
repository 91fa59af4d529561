//! The hosted page: plain HTML without scripts. Shows what is bought, and what has become of the session.

use std::fmt::Write;

use super::books::Books;
use super::objects::{Method, Session, SessionStatus};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;background:#f4f5f7;color:#1f2430;margin:0}\
main{max-width:26rem;margin:3rem auto;padding:2rem;background:#fff;border-radius:.75rem;box-shadow:0 1px 6px #0002}\
h1{font-size:2rem;margin:.25rem 0 1rem}table{width:100%;border-collapse:collapse;margin-bottom:1.5rem}\
td{padding:.35rem 0;border-bottom:1px solid #e6e8ec}td:last-child{text-align:right;padding-left:1rem;white-space:nowrap}\
button{display:block;width:100%;padding:.7rem;margin:.5rem 0;border:1px solid #c9cdd6;border-radius:.5rem;\
background:#fff;font:inherit;cursor:pointer}button.first{background:#3a4bd8;border-color:#3a4bd8;color:#fff}\
.small{color:#6b7280;font-size:.875rem}.notice{background:#fdecec;color:#9b1c1c;padding:.6rem .8rem;border-radius:.5rem}";

/// Currencies that have no smaller unit.
const WITHOUT_CENTS: [&str; 16] =
    ["bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "ugx", "vnd", "vuv", "xaf", "xof", "xpf"];

/// `None`: there is no such session.
pub(super) fn render(books: &Books, id: &str, notice: Option<&str>) -> Option<String> {
    let session = &books.sessions[books.sessions.place(id)?];
    Some(match session.status {
        SessionStatus::Open => document("Pay", &open(session, notice)),
        SessionStatus::Complete => {
            let what = if session.paid { "You have paid." } else { "Your payment is on its way." };
            document("Done", &format!("<h1>All done here</h1><p>{what}</p>"))
        }
        SessionStatus::Expired => {
            let text = "<h1>This session has expired</h1><p>It can no longer be paid. Nothing was charged.</p>";
            document("Expired", text)
        }
    })
}

pub(super) fn nothing() -> String {
    document("Nothing here", "<h1>Nothing here</h1><p>There is no such checkout.</p>")
}

/// Where the customer came from.
pub(super) fn way_back(books: &Books, id: &str) -> Option<String> {
    books.sessions[books.sessions.place(id)?].cancel_url.clone()
}

fn open(session: &Session, notice: Option<&str>) -> String {
    let money = |amount: i64| money(amount, &session.currency);
    let mut html = format!("<p class=small>Test payment</p><h1>{}</h1>", money(session.amount_total));
    if let Some(notice) = notice {
        add(&mut html, format_args!("<p class=notice role=alert>{}</p>", escape(notice)));
    }
    html.push_str("<table>");
    for item in &session.items {
        let (name, sum) = (escape(&item.name), money(item.unit_amount.saturating_mul(item.quantity)));
        add(&mut html, format_args!("<tr><td>{name} × {}</td><td>{sum}</td></tr>", item.quantity));
    }
    html.push_str("</table><form method=post>");
    let mut class = "first";
    for method in Method::ALL.into_iter().filter(|method| session.methods.iter().any(|word| word == method.word())) {
        let label = match method {
            Method::Card => "Pay by card",
            Method::Boleto => "Pay by Boleto (later)",
            Method::Pix => "Pay by Pix (later)",
        };
        let value = method.word();
        add(&mut html, format_args!("<button class=\"{class}\" name=method value={value}>{label}</button>"));
        class = "";
    }
    html.push_str("<button name=method value=decline>Decline</button>");
    if session.cancel_url.is_some() {
        html.push_str("<button name=method value=back>Go back</button>");
    }
    html.push_str("</form><p class=small>This is a simulation. No money moves.</p>");
    html
}

fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style><main>{body}</main></html>"
    )
}

fn add(html: &mut String, text: std::fmt::Arguments<'_>) {
    html.write_fmt(text).expect("a string takes all");
}

fn money(amount: i64, currency: &str) -> String {
    let word = currency.to_ascii_uppercase();
    if WITHOUT_CENTS.contains(&currency) {
        return format!("{word} {amount}");
    }
    format!("{word} {}.{:02}", amount / 100, amount % 100)
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
