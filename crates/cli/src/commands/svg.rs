//! What all pictures have in common.

/// Letters of one width, so that text never leaves its box.
const STYLE: &str = "text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1f2937}\
.title{font-size:15px;font-weight:bold}";

/// The beginning of a picture of this width and height, on white.
pub(super) fn begin((width, height): (i64, i64), style: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>{STYLE}{style}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    )
}

/// Text that is no markup.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
