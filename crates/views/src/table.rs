//! Rows in columns.

/// A heading and rows of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns.
    pub heading: Vec<&'static str>,
    /// As many cells in each row.
    pub rows: Vec<Vec<String>>,
}

/// How far columns are apart.
const GAP: usize = 2;

impl Table {
    /// The heading and all rows.
    pub fn to_text(&self) -> String {
        let heading: Vec<String> = self.heading.iter().map(|it| (*it).to_owned()).collect();
        let widths = self.widths();
        std::iter::once(&heading).chain(&self.rows).map(|row| line(row, &widths)).collect()
    }

    /// Some of the rows, in the columns of all.
    pub fn rows_to_text<'t>(&'t self, rows: impl IntoIterator<Item = &'t Vec<String>>) -> String {
        let widths = self.widths();
        rows.into_iter().map(|row| line(row, &widths)).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let widest =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|it| width(it)).max();
        let columns = self.heading.iter().enumerate();
        columns.map(|(column, name)| width(name).max(widest(column).unwrap_or_default())).collect()
    }
}

fn line(row: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, wide) in row.iter().zip(widths) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', wide.saturating_sub(width(cell)) + GAP));
    }
    format!("{}\n", line.trim_end())
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// What somebody wrote as one cell: the beginning of its first line, without what would move the cursor.
pub(crate) fn cell(text: &str) -> String {
    const MOST: usize = 1_000;
    let line = text.trim().lines().next().unwrap_or_default();
    let mut cell: String = line.chars().filter(|it| !it.is_control()).take(MOST + 1).collect();
    if let Some((end, _)) = cell.char_indices().nth(MOST) {
        cell.truncate(end);
        cell.push('…');
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_any_length_are_shown() {
        let rows = vec![vec!["é".repeat(70_000), "b".to_owned()], vec!["a".to_owned(), "b".to_owned()]];
        let text = Table { heading: vec!["A", "B"], rows }.to_text();
        assert!(text.lines().all(|it| it.chars().count() == 70_000 + GAP + 1));
        assert_eq!(cell(&"é".repeat(2_000)), "é".repeat(1_000) + "…");
        assert_eq!(cell(&"é".repeat(1_000)), "é".repeat(1_000));
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["3", "Current", ""], ["12", "é", "last"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        let table = Table { heading: vec!["REV", "STATUS", "WHY"], rows };
        assert_eq!(table.to_text(), "REV  STATUS   WHY\n3    Current\n12   é        last\n");
        assert_eq!(table.rows_to_text(&table.rows[1..]), "12   é        last\n");
    }

    #[test]
    fn cells_cannot_move_the_cursor() {
        assert_eq!(cell(" fix \u{1b}[31mred\r\nmore"), "fix [31mred");
        assert_eq!(cell(""), "");
    }
}
