//! Lines in parts: up to 200 each, with as many serial numbers as a part may have.

use std::collections::HashMap;

use super::{
    DocumentKind, DocumentLine, LINES_PER_PART_MAX, PARTS_MAX, ProductCode, SERIALS_PER_PART_MAX, may_be_long,
};

/// The places of lines among all that are given.
pub type Places = Vec<usize>;

/// In the order in which they are given. Only lots of one product are brought together in an opening: a product is opened
/// by one part. `None` if that takes more parts than a document of this kind may have.
pub fn parts(kind: DocumentKind, lines: &[DocumentLine]) -> Option<Vec<Places>> {
    let mut parts = vec![Places::new()];
    let mut serials = 0;
    for group in groups(kind, lines) {
        let group_serials: usize = group.iter().map(|place| lines[*place].serials.len()).sum();
        if group.len() > LINES_PER_PART_MAX || group_serials > SERIALS_PER_PART_MAX {
            return None;
        }
        let last = parts.last_mut()?;
        let (lines, all_serials) = (last.len().strict_add(group.len()), group_serials.strict_add(serials));
        let fits = lines <= LINES_PER_PART_MAX && all_serials <= SERIALS_PER_PART_MAX;
        if fits || last.is_empty() {
            serials = all_serials;
            last.extend(group);
        } else {
            serials = group_serials;
            parts.push(group);
        }
    }
    let parts_max = if may_be_long(kind) { PARTS_MAX } else { 1 };
    let few = u32::try_from(parts.len()).is_ok_and(|count| count <= parts_max);
    few.then_some(parts)
}

/// What must stay together.
fn groups(kind: DocumentKind, lines: &[DocumentLine]) -> Vec<Places> {
    if kind != DocumentKind::Opening {
        return (0..lines.len()).map(|place| vec![place]).collect();
    }
    let mut groups: Vec<Places> = Vec::new();
    let mut of_product: HashMap<&Option<ProductCode>, usize> = HashMap::new();
    for (place, line) in lines.iter().enumerate() {
        let group = *of_product.entry(&line.product).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stock::SerialCode;

    fn line(product: usize, serials: usize) -> DocumentLine {
        let mut line = DocumentLine::new(ProductCode::new(&format!("p{product}")).unwrap(), 1);
        line.serials = (0..serials).map(|number| SerialCode::new(&format!("s{number}")).unwrap()).collect();
        line
    }

    fn sizes(kind: DocumentKind, lines: &[DocumentLine]) -> Option<Vec<usize>> {
        parts(kind, lines).map(|parts| parts.iter().map(Vec::len).collect())
    }

    #[test]
    fn packing() {
        let plain = |count: usize| (0..count).map(|number| line(number, 0)).collect::<Vec<_>>();
        assert_eq!(sizes(DocumentKind::Purchase, &plain(1)), Some(vec![1]));
        assert_eq!(sizes(DocumentKind::Purchase, &plain(200)), Some(vec![200]));
        assert_eq!(sizes(DocumentKind::Purchase, &plain(401)), Some(vec![200, 200, 1]));
        assert_eq!(sizes(DocumentKind::Purchase, &plain(10_000)).map(|parts| parts.len()), Some(50));
        assert_eq!(sizes(DocumentKind::Purchase, &plain(10_001)), None);
        let pieces: Vec<_> = (0..5).map(|number| line(number, 150)).collect();
        assert_eq!(sizes(DocumentKind::Purchase, &pieces), Some(vec![2, 2, 1]));
        assert_eq!(sizes(DocumentKind::Purchase, &[line(0, 401)]), None);
        assert_eq!(sizes(DocumentKind::Sale, &plain(200)), Some(vec![200]));
        assert_eq!(sizes(DocumentKind::Sale, &plain(201)), None);
    }

    #[test]
    fn a_product_is_opened_by_one_part() {
        let mut lines: Vec<_> = (0..199).map(|number| line(number, 0)).collect();
        lines.extend([line(500, 0), line(7, 0), line(500, 0)]);
        let split = parts(DocumentKind::Opening, &lines).unwrap();
        assert_eq!(split.iter().map(Vec::len).collect::<Vec<_>>(), [200, 2]);
        assert_eq!((split[0][7], split[0][8]), (7, 200), "both rows of one product");
        assert_eq!(split[1], [199, 201]);
        let many: Vec<_> = (0..201).map(|_| line(1, 0)).collect();
        assert_eq!(parts(DocumentKind::Opening, &many), None);
        assert_eq!(sizes(DocumentKind::Purchase, &many), Some(vec![200, 1]));
    }
}
