//! Declares the parameters of a strategy, and checks those that must not be 0.

/// Makes a struct of parameters as pipeline files write it, with its defaults and with
/// `PARAMETERS`, the list that [`Strategy::parameters`](crate::strategy::Strategy) gives.
///
/// A line is a [`Rule`](crate::strategy::Rule) (`eligibility`, `pressure` or `request`), the
/// key, the field with its type and default, and the meaning; one that came after pipelines were
/// frozen is left out of what is written where its function says so. `+ model` at the end adds
/// a model of its own for summaries, as ADR-0042 has it.
macro_rules! parameters {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($rule:ident $key:literal $field:ident: $kind:ty = $default:expr, $meaning:literal
                $(, absent where $absent:literal)?;)*
            $(+ $model:ident)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        $visibility struct $name {
            $(
                #[doc = $meaning]
                #[serde(rename = $key)]
                $(#[serde(skip_serializing_if = $absent)])?
                pub $field: $kind,
            )*
            $(
                /// A model of its own for summaries, where given.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $model: Option<String>,
            )?
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $default,)* $($model: None,)? }
            }
        }

        impl $name {
            /// Its parameters, every one.
            pub const PARAMETERS: &'static [$crate::strategy::Parameter] = &[
                $($crate::strategy::Parameter::$rule($key, $meaning),)*
                $($crate::strategy::Parameter::request(
                    stringify!($model),
                    "a model of its own for summaries, where given",
                ),)?
            ];
        }
    };
}

pub(crate) use parameters;

/// The first number that is 0, as an error.
pub(crate) fn none_is_zero(numbers: &[(&str, u64)]) -> Result<(), String> {
    match numbers.iter().find(|(_, number)| *number == 0) {
        Some((name, _)) => Err(format!("`{name}` is at least 1")),
        None => Ok(()),
    }
}
