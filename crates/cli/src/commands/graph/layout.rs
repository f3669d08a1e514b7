//! Where the boxes and lines of a drawing go: rows of boxes, lines between rows.

/// Between boxes of a row, in pixels.
const GAP: i64 = 36;
/// Between rows, in pixels.
const ROW_GAP: i64 = 56;
/// How wide a line is that passes through a row.
const LANE: i64 = 12;
/// Rows pull at each other this often; more changes nothing that can be seen.
const SWEEPS: usize = 12;

/// A rectangle, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
    pub(super) height: i64,
}

/// A drawing, with its upper left corner at 0, 0.
#[derive(Debug)]
pub(super) struct Layout {
    /// By box.
    pub(super) boxes: Vec<Area>,
    /// For each edge the points it goes through.
    pub(super) lines: Vec<Vec<(i64, i64)>>,
    pub(super) width: i64,
    pub(super) height: i64,
}

impl Layout {
    /// Lays out boxes of these sizes in rows, with edges from boxes to boxes of later rows.
    pub(super) fn of(rows: &[Vec<usize>], edges: &[(usize, usize)], sizes: &[(i64, i64)]) -> Self {
        let mut grid = Grid::of(rows, edges, sizes);
        grid.sort_rows();
        grid.place_columns();
        grid.layout(edges.len(), sizes)
    }
}

/// A box, or the place where a line passes a row.
#[derive(Debug)]
struct Cell {
    /// None for a passing line.
    of_box: Option<usize>,
    width: i64,
    /// Its middle.
    x: i64,
    /// Cells of the row above, and of the row below, that it is joined to.
    above: Vec<usize>,
    below: Vec<usize>,
}

#[derive(Debug)]
struct Grid {
    cells: Vec<Cell>,
    rows: Vec<Vec<usize>>,
    /// For each edge the cells from its first to its last.
    ways: Vec<Vec<usize>>,
}

impl Grid {
    fn of(rows: &[Vec<usize>], edges: &[(usize, usize)], sizes: &[(i64, i64)]) -> Self {
        // Boxes come first, so that the cell of a box has its number.
        let cell = |(of_box, (width, _)): (usize, &(i64, i64))| Cell::new(Some(of_box), *width);
        let cells = sizes.iter().enumerate().map(cell).collect();
        let mut grid = Self { cells, rows: rows.to_vec(), ways: Vec::new() };
        let row_of = |it: usize| rows.iter().position(|row| row.contains(&it)).unwrap_or(0);
        for (from, to) in edges {
            let way = grid.way(*from, *to, row_of(*from), row_of(*to));
            for pair in way.windows(2) {
                grid.cells[pair[0]].below.push(pair[1]);
                grid.cells[pair[1]].above.push(pair[0]);
            }
            grid.ways.push(way);
        }
        grid
    }

    fn way(&mut self, from: usize, to: usize, first: usize, last: usize) -> Vec<usize> {
        let mut way = vec![from];
        for row in first + 1..last {
            way.push(self.cells.len());
            self.rows[row].push(self.cells.len());
            self.cells.push(Cell::new(None, LANE));
        }
        way.push(to);
        way
    }

    /// Orders each row by where the neighbours of its cells stand, so that few lines cross.
    fn sort_rows(&mut self) {
        for sweep in 0..SWEEPS {
            let downwards = sweep % 2 == 0;
            let order: Vec<usize> =
                if downwards { (1..self.rows.len()).collect() } else { (0..self.rows.len()).rev().collect() };
            for row in order {
                let ranks = self.ranks();
                let mut sorted = self.rows[row].clone();
                let rank = |cell: &usize| {
                    let neighbours = self.neighbours(*cell, downwards);
                    // A thousandth of a place, so that the mean of two differs from both.
                    let near = mean(neighbours.iter().map(|it| ranks[*it] * 1000));
                    let own = if self.is_alone(*cell) { i64::MAX } else { ranks[*cell] * 1000 };
                    near.unwrap_or(own)
                };
                sorted.sort_by_key(rank);
                self.rows[row] = sorted;
            }
        }
    }

    /// By cell, its place in its row.
    fn ranks(&self) -> Vec<i64> {
        let mut ranks = vec![0; self.cells.len()];
        for row in &self.rows {
            row.iter().zip(0..).for_each(|(cell, rank)| ranks[*cell] = rank);
        }
        ranks
    }

    fn neighbours(&self, cell: usize, above: bool) -> &[usize] {
        if above { &self.cells[cell].above } else { &self.cells[cell].below }
    }

    /// Whether nothing is joined to a cell; such cells stand at the end of their row.
    fn is_alone(&self, cell: usize) -> bool {
        self.cells[cell].above.is_empty() && self.cells[cell].below.is_empty()
    }

    /// Puts cells near their neighbours, as far as those beside them let them.
    fn place_columns(&mut self) {
        for sweep in 0..SWEEPS {
            for row in 0..self.rows.len() {
                let wanted: Vec<Option<i64>> =
                    self.rows[row].iter().map(|cell| self.middle(*cell).filter(|_| sweep > 0)).collect();
                self.place_row(row, &wanted);
            }
        }
    }

    /// The middle of what a cell is joined to.
    fn middle(&self, cell: usize) -> Option<i64> {
        let (above, below) = (self.neighbours(cell, true), self.neighbours(cell, false));
        mean(above.iter().chain(below).map(|it| self.cells[*it].x))
    }

    /// Puts cells where they want to be, or right of the cell before them.
    fn place_row(&mut self, row: usize, wanted: &[Option<i64>]) {
        let cells = self.rows[row].clone();
        let mut free = None;
        let mut placed = Vec::with_capacity(cells.len());
        for (cell, wanted) in cells.iter().zip(wanted) {
            let half = self.cells[*cell].width / 2;
            let next = free.map(|it: i64| it + half);
            let x = wanted.or(next).unwrap_or(0).max(next.unwrap_or(i64::MIN));
            free = Some(x + half + GAP);
            placed.push(x);
        }
        // Nobody is left of where he would be; the row as a whole moves back by as much as is fair.
        let over = placed.iter().zip(wanted).filter_map(|(x, wanted)| Some(x - (*wanted)?));
        let over = mean(over).unwrap_or(0);
        for (cell, x) in cells.iter().zip(placed) {
            self.cells[*cell].x = x - over;
        }
    }

    fn layout(&self, edges: usize, sizes: &[(i64, i64)]) -> Layout {
        let left = self.cells.iter().map(|it| it.x - it.width / 2).min().unwrap_or(0);
        let width = self.cells.iter().map(|it| it.x - left + it.width / 2).max().unwrap_or(0);
        let mut boxes = vec![Area::default(); sizes.len()];
        let (mut top, mut tops) = (0, Vec::new());
        for row in &self.rows {
            let of_boxes = || row.iter().filter_map(|it| Some((&self.cells[*it], self.cells[*it].of_box?)));
            let height = of_boxes().map(|(_, it)| sizes[it].1).max().unwrap_or(0);
            for (cell, it) in of_boxes() {
                let (width, own) = sizes[it];
                boxes[it] = Area { x: cell.x - left - width / 2, y: top, width, height: own };
            }
            tops.push((top, height));
            top += height + ROW_GAP;
        }
        let mut lines = Vec::with_capacity(edges);
        for way in &self.ways {
            lines.push(way.iter().flat_map(|it| self.points(*it, left, &boxes, &tops)).collect::<Vec<_>>());
        }
        // A line leaves a box below and reaches one above.
        for line in &mut lines {
            line.remove(0);
            line.pop();
        }
        Layout { boxes, lines, width, height: (top - ROW_GAP).max(0) }
    }

    /// The upper and the lower end of a cell, on the line that goes through it.
    fn points(&self, cell: usize, left: i64, boxes: &[Area], rows: &[(i64, i64)]) -> [(i64, i64); 2] {
        let x = self.cells[cell].x - left;
        if let Some(area) = self.cells[cell].of_box.map(|it| boxes[it]) {
            return [(x, area.y), (x, area.y + area.height)];
        }
        let row = self.rows.iter().position(|row| row.contains(&cell)).unwrap_or(0);
        let (top, height) = rows[row];
        [(x, top), (x, top + height)]
    }
}

impl Cell {
    fn new(of_box: Option<usize>, width: i64) -> Self {
        Self { of_box, width, x: 0, above: Vec::new(), below: Vec::new() }
    }
}

fn mean(values: impl Iterator<Item = i64>) -> Option<i64> {
    let (sum, count) = values.fold((0_i64, 0), |(sum, count), it| (sum + it, count + 1));
    (count > 0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(a: &Area, b: &Area) -> bool {
        a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
    }

    /// No box covers another, nothing is left of or above the corner, and no line passes through a box.
    fn check(rows: &[Vec<usize>], edges: &[(usize, usize)]) {
        let count = rows.iter().flatten().count();
        let sizes: Vec<_> = (0..count).map(|it| (80 + i64::try_from(it % 3).unwrap() * 70, 50)).collect();
        let layout = Layout::of(rows, edges, &sizes);
        for (index, area) in layout.boxes.iter().enumerate() {
            assert!(area.x >= 0 && area.x + area.width <= layout.width, "{area:?}");
            assert!(area.y + area.height <= layout.height, "{area:?}");
            for other in &layout.boxes[index + 1..] {
                assert!(!overlap(area, other), "{area:?} {other:?}");
            }
        }
        for line in &layout.lines {
            // From one row to the next a line is in the gap; within a row it goes straight down.
            for pair in line.chunks(2).skip(1).filter_map(|it| it.first()) {
                let lane = Area { x: pair.0 - 1, y: pair.1 + 1, width: 2, height: 1 };
                let hit = layout.boxes.iter().filter(|it| overlap(it, &lane)).count();
                assert_eq!(hit, usize::from(line.last() == Some(pair)), "{line:?}");
            }
        }
    }

    #[test]
    fn what_is_alone_stands_beside_the_others() {
        let layout = Layout::of(&[vec![0, 1, 2], vec![3]], &[(1, 3), (2, 3)], &[(80, 50); 4]);
        let row: Vec<i64> = [1, 2, 0].iter().map(|it| layout.boxes[*it].x).collect();
        assert_eq!(row, [0, 80 + GAP, 2 * (80 + GAP)]);
    }

    #[test]
    fn nothing_overlaps() {
        check(&[], &[]);
        check(&[vec![0]], &[]);
        check(&[vec![0, 1, 2], vec![3]], &[(2, 3)]);
        check(&[vec![0, 1, 2], vec![3], vec![4, 5]], &[(0, 3), (1, 3), (3, 4), (2, 5), (0, 5)]);
        let wide: Vec<usize> = (0..20).collect();
        let edges: Vec<_> = (0..20).map(|it| (it, 20 + it % 4)).chain([(0, 24), (19, 24), (7, 24)]).collect();
        check(&[wide, vec![20, 21, 22, 23], vec![24]], &edges);
    }
}
