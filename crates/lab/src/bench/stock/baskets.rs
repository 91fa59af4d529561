//! What is sold together: one product, or several; and baskets that stand in each other's way where locks are known by
//! 32 bits only.

use surehold_core::stock::ProductCode;

/// One document sells one unit of each, in the order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basket(Vec<ProductCode>);

impl Basket {
    /// Sorted by name, as whoever locks by name would lock them.
    pub fn new(mut products: Vec<ProductCode>) -> Basket {
        products.sort();
        products.dedup();
        Basket(products)
    }

    pub fn products(&self) -> &[ProductCode] {
        &self.0
    }
}

pub fn product(number: usize) -> ProductCode {
    ProductCode::new(&format!("product-{number:08}")).expect("a legal code")
}

/// As many baskets as products, of one each.
pub fn some_of(products: usize) -> Vec<Basket> {
    (0..products).map(|number| Basket::new(vec![product(number)])).collect()
}

/// Two baskets of two products each. Both are locked in the order of names, and yet in opposite orders: the hash of the
/// first product of each is that of the last product of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crosswise {
    pub baskets: [Basket; 2],
}

impl Crosswise {
    /// Of pairs of names with the same hash. Two pairs stand crosswise if one begins before the other ends, and the other
    /// way round.
    pub(super) fn among(pairs: &[[ProductCode; 2]]) -> Option<Crosswise> {
        let sorted = pairs.iter().map(|[one, other]| if one <= other { (one, other) } else { (other, one) });
        let sorted: Vec<(&ProductCode, &ProductCode)> = sorted.filter(|(one, other)| one != other).collect();
        sorted.iter().enumerate().find_map(|(index, (first, last))| {
            let crossed = sorted[index + 1..].iter().find(|(begin, end)| first < end && begin < last);
            let (begin, end) = crossed?;
            let basket = |one: &ProductCode, other: &ProductCode| Basket::new(vec![one.clone(), other.clone()]);
            Some(Crosswise { baskets: [basket(first, end), basket(begin, last)] })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crosswise_pairs() {
        // The hash of a name is its digit.
        let check = |names: &[[&str; 2]], expected: Option<[[&str; 2]; 2]>| {
            let code = |name: &str| ProductCode::new(name).unwrap();
            let pairs: Vec<[ProductCode; 2]> = names.iter().map(|[one, other]| [code(one), code(other)]).collect();
            let expected = expected.map(|baskets| baskets.map(|names| names.map(code)).map(|it| Basket(it.to_vec())));
            assert_eq!(Crosswise::among(&pairs).map(|found| found.baskets), expected, "{names:?}");
        };
        check(&[], None);
        check(&[["a1", "d1"]], None);
        check(&[["a1", "b1"], ["c2", "d2"]], None);
        check(&[["a1", "c1"], ["b2", "d2"]], Some([["a1", "d2"], ["b2", "c1"]]));
        check(&[["d1", "a1"], ["c2", "b2"]], Some([["a1", "c2"], ["b2", "d1"]]));
        check(&[["a1", "b1"], ["c2", "d2"], ["e3", "e3"], ["f4", "c4"]], Some([["c2", "f4"], ["c4", "d2"]]));
    }

    #[test]
    fn baskets_are_in_order() {
        let basket = Basket::new(vec![product(12), product(3), product(12)]);
        assert_eq!(basket.products(), [product(3), product(12)]);
        assert_eq!(some_of(2), [Basket(vec![product(0)]), Basket(vec![product(1)])]);
    }
}
