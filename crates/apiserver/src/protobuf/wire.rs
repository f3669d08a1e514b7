//! The protobuf wire format: numbered fields of four shapes.

/// A field's content as it is on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wire<'b> {
    /// Integers and booleans.
    Varint(u64),
    /// Eight bytes, little endian.
    Fixed64(u64),
    /// Text, bytes, messages and packed lists.
    Bytes(&'b [u8]),
    /// Four bytes, little endian.
    Fixed32(u32),
}

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum WireError {
    #[error("unexpected end of the message")]
    End,
    #[error("a number has more than 64 bits")]
    Overflow,
    #[error("a field has the number {0}")]
    FieldNumber(u64),
    #[error("unsupported wire type {0}")]
    WireType(u64),
}

/// The fields of a message in the order they were written; ends after the first error.
pub(super) fn fields(message: &[u8]) -> Fields<'_> {
    Fields { rest: message }
}

/// The numbers of a packed list.
pub(super) fn packed(list: &[u8]) -> Result<Vec<u64>, WireError> {
    let mut rest = Fields { rest: list };
    let mut numbers = Vec::new();
    while !rest.rest.is_empty() {
        numbers.push(rest.varint()?);
    }
    Ok(numbers)
}

#[derive(Debug)]
pub(super) struct Fields<'b> {
    rest: &'b [u8],
}

/// The highest field number protobuf allows.
const MAX_FIELD: u64 = (1 << 29) - 1;

impl<'b> Fields<'b> {
    fn field(&mut self) -> Result<(u32, Wire<'b>), WireError> {
        let tag = self.varint()?;
        let number = tag >> 3;
        let field = u32::try_from(number).ok().filter(|_| (1..=MAX_FIELD).contains(&number));
        let field = field.ok_or(WireError::FieldNumber(number))?;
        let content = match tag & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => Wire::Bytes(self.delimited()?),
            5 => Wire::Fixed32(u32::from_le_bytes(self.array()?)),
            other => return Err(WireError::WireType(other)),
        };
        Ok((field, content))
    }

    fn varint(&mut self) -> Result<u64, WireError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(WireError::Overflow);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(WireError::Overflow)
    }

    fn delimited(&mut self) -> Result<&'b [u8], WireError> {
        let length = usize::try_from(self.varint()?).map_err(|_| WireError::End)?;
        let (content, rest) = self.rest.split_at_checked(length).ok_or(WireError::End)?;
        self.rest = rest;
        Ok(content)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (array, rest) = self.rest.split_first_chunk::<N>().ok_or(WireError::End)?;
        self.rest = rest;
        Ok(*array)
    }
}

impl<'b> Iterator for Fields<'b> {
    type Item = Result<(u32, Wire<'b>), WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &[u8], expect: &[Result<(u32, Wire<'_>), WireError>]) {
        assert_eq!(fields(message).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn every_shape() {
        check(b"", &[]);
        check(&[0x08, 0x96, 0x01], &[Ok((1, Wire::Varint(150)))]);
        check(&[0x12, 2, b'h', b'i'], &[Ok((2, Wire::Bytes(b"hi")))]);
        check(&[0x1d, 1, 0, 0, 0], &[Ok((3, Wire::Fixed32(1)))]);
        check(&[0x19, 1, 0, 0, 0, 0, 0, 0, 0], &[Ok((3, Wire::Fixed64(1)))]);
        let minus_one = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        check(&minus_one, &[Ok((1, Wire::Varint(u64::MAX)))]);
    }

    #[test]
    fn broken_messages() {
        check(&[0x08], &[Err(WireError::End)]);
        check(&[0x08, 0x80], &[Err(WireError::End)]);
        check(&[0x12, 3, b'h', b'i'], &[Err(WireError::End)]);
        check(&[0x1d, 1, 0], &[Err(WireError::End)]);
        check(&[0x00, 0x00], &[Err(WireError::FieldNumber(0))]);
        check(&[0x0b], &[Err(WireError::WireType(3))]);
        let too_long = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        check(&too_long, &[Err(WireError::Overflow)]);
        let endless = [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, b'x'];
        check(&endless, &[Err(WireError::End)]);
    }

    #[test]
    fn packed_numbers() {
        assert_eq!(packed(&[1, 0x96, 0x01]), Ok(vec![1, 150]));
        assert_eq!(packed(&[0x96]), Err(WireError::End));
    }
}
