//! A logarithm with the same result on every machine.

/// The natural logarithm of a finite number of at least 1. The result of `f64::ln` depends on the platform
/// (<https://doc.rust-lang.org/std/primitive.f64.html#method.ln>), and a difference in the last digit could change a
/// ranking.
pub(super) fn ln(mut number: f64) -> f64 {
    let mut exponent = 0.0;
    while number >= 2.0 {
        number /= 2.0;
        exponent += 1.0;
    }
    // ln(number) = 2 artanh(x), and x is at most 1/3, so 20 terms of the series reach the precision of the type.
    let x = (number - 1.0) / (number + 1.0);
    let (mut power, mut divisor, mut sum) = (x, 1.0, 0.0);
    for _ in 0..20 {
        sum += power / divisor;
        power *= x * x;
        divisor += 2.0;
    }
    exponent * std::f64::consts::LN_2 + 2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::ln;

    #[test]
    fn equals_the_logarithm_of_the_platform() {
        for number in [1.0, 1.000_1, 1.5, 2.0, 3.0, 10.0, 1_974.0, 2e6, 1e300] {
            let (ours, platform) = (ln(number), number.ln());
            assert!((ours - platform).abs() <= 1e-14 * platform.max(1.0), "{number}: {ours}, {platform}");
        }
    }
}
