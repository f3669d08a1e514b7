//! An axis: values to pixels, and the values that are written beside it.

/// From values to pixels.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// The value at the far end.
    pub(super) end: i64,
    /// In pixels.
    pub(super) length: i64,
    /// How far the values are apart that are written.
    step: i64,
}

/// Seconds that people count in.
const TIMES: [i64; 19] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800,
];

impl Scale {
    /// For times in seconds, with so many marks at most.
    pub(super) fn of_time(end: i64, length: i64, marks: i64) -> Self {
        let end = end.max(1);
        let step = TIMES.into_iter().find(|it| end / it <= marks);
        Self { end, length, step: step.unwrap_or_else(|| (end / marks / 86_400 + 1) * 86_400) }
    }

    /// For numbers; the far end is the next mark.
    pub(super) fn of_count(end: i64, length: i64, marks: i64) -> Self {
        let end = end.max(1);
        let tens = std::iter::successors(Some(1_i64), |it| it.checked_mul(10));
        let step = tens.flat_map(|it| [it, 2 * it, 5 * it]).find(|it| end / it <= marks).unwrap_or(end);
        Self { end: (end + step - 1) / step * step, length, step }
    }

    /// The place of a value, from the near end.
    pub(super) fn at(&self, value: i64) -> i64 {
        value.clamp(0, self.end) * self.length / self.end
    }

    /// The values that are written.
    pub(super) fn marks(&self) -> impl Iterator<Item = i64> {
        let (step, end) = (self.step, self.end);
        (0..=end / step).map(move |it| it * step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_few() {
        let marks = |scale: &Scale| scale.marks().collect::<Vec<_>>();
        assert_eq!(marks(&Scale::of_count(1_000, 400, 5)), [0, 200, 400, 600, 800, 1_000]);
        assert_eq!(marks(&Scale::of_count(37, 400, 5)), [0, 10, 20, 30, 40]);
        assert_eq!(marks(&Scale::of_count(0, 400, 5)), [0, 1]);
        assert_eq!(marks(&Scale::of_time(750, 800, 8)), [0, 120, 240, 360, 480, 600, 720]);
        assert_eq!(marks(&Scale::of_time(0, 800, 8)), [0, 1]);
        let century = Scale::of_time(100 * 366 * 86_400, 800, 8);
        assert!((2..=9).contains(&century.marks().count()));
        assert_eq!(Scale::of_count(1_000_000, 392, 5).at(500_000), 196);
    }
}
