//! A report as a table: a row for each side, lines for what belongs to the case. A column that no row fills is left out.

use comfy_table::{CellAlignment, Table, presets};

use super::{Against, Case, Figures, Report};

/// The first column has no head of its own.
const HEADS: [&str; 12] = [
    "",
    "per s",
    "each round",
    "p50",
    "p99",
    "p99.9",
    "errors",
    "CPU each",
    "bytes",
    "ratio",
    "p99 ratio",
    "CPU ratio",
];

/// The cells of a row; a note has the first one only.
type Line = Vec<String>;

impl Report {
    pub(super) fn table(&self) -> Table {
        let bars = self.bars.iter().map(|bar| vec![bar.line()]);
        let lines: Vec<Line> = self.cases.iter().flat_map(Case::lines).chain(bars).collect();
        let fills = |line: &Line, column: usize| line.get(column).is_some_and(|cell| !cell.is_empty());
        let filled = |column: &usize| *column == 0 || lines.iter().any(|line| fills(line, *column));
        let columns: Vec<usize> = (0..HEADS.len()).filter(filled).collect();
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY);
        table.set_header(columns.iter().map(|column| HEADS[*column]));
        for line in &lines {
            table.add_row(columns.iter().filter_map(|column| line.get(*column)));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}

impl Case {
    fn lines(&self) -> Vec<Line> {
        let rivals = self.against.iter().map(|against| row(&against.name, &against.figures, Some(against)));
        let errors = self.figures.http.iter().flat_map(|http| &http.errors_by_status);
        let errors = errors.map(|(status, count)| format!("{count} answers {status}"));
        let notes = self.notes.iter().cloned().chain(errors).map(|note| vec![note]);
        [row(&self.title, &self.figures, None)].into_iter().chain(rivals).chain(notes).collect()
    }
}

fn row(title: &str, figures: &Figures, against: Option<&Against>) -> Line {
    let time = |time: Option<u64>| time.map(micros).unwrap_or_default();
    let ratio = |of: fn(&Against) -> Option<f64>| against.and_then(of).map(two_places).unwrap_or_default();
    let rounds: Vec<String> = figures.rounds_per_s.iter().copied().map(whole).collect();
    let bytes = figures.http.as_ref().map(|http| http.answer_bytes).filter(|bytes| *bytes > 0);
    let cells: [String; HEADS.len()] = [
        title.to_owned(),
        figures.rate_per_s.map(whole).unwrap_or_default(),
        rounds.join(" "),
        time(figures.p50_us),
        time(figures.p99_us),
        time(figures.p999_us),
        figures.errors.map(|errors| errors.to_string()).unwrap_or_default(),
        figures.cpu_us.map(|cpu| format!("{cpu:.1} µs")).unwrap_or_default(),
        bytes.map(|bytes| bytes.to_string()).unwrap_or_default(),
        ratio(|against| against.ratio),
        ratio(|against| against.p99_ratio),
        ratio(|against| against.cpu_ratio),
    ];
    cells.into()
}

fn whole(number: f64) -> String {
    format!("{number:.0}")
}

fn two_places(number: f64) -> String {
    format!("{number:.2}")
}

pub(in crate::bench) fn micros(micros: u64) -> String {
    match micros {
        0..10_000 => format!("{micros} µs"),
        10_000..10_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{} s", micros / 1_000_000),
    }
}
