//! Whether a value is what a schema describes. Of what descriptions use, everything but patterns and formats, which the types
//! themselves check when they are read.

use serde_json::Value;

pub(super) fn fits(value: &Value, schema: &Value, components: &Value) -> bool {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return fits(value, &components[name], components);
    }
    if let Some(either) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        return either.iter().any(|schema| fits(value, schema, components));
    }
    let types = schema["type"].as_array().map_or(std::slice::from_ref(&schema["type"]), Vec::as_slice);
    types.iter().any(|kind| is_of_type(value, kind.as_str(), schema, components))
        && schema["enum"].as_array().is_none_or(|known| known.contains(value))
        && (schema["const"].is_null() || schema["const"] == *value)
}

fn is_of_type(value: &Value, kind: Option<&str>, schema: &Value, components: &Value) -> bool {
    match kind {
        Some("object") => {
            value.is_object() && (schema["properties"].is_null() || has_members(value, schema, components))
        }
        Some("array") => value.as_array().is_some_and(|items| {
            is_within(items.len(), &schema["minItems"], &schema["maxItems"])
                && items.iter().all(|item| fits(item, &schema["items"], components))
        }),
        Some("string") => {
            let length = value.as_str().map(|text| text.chars().count());
            length.is_some_and(|length| is_within(length, &schema["minLength"], &schema["maxLength"]))
        }
        Some("integer") => {
            value.as_i64().is_some_and(|number| is_within(number, &schema["minimum"], &schema["maximum"]))
        }
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some(other) => panic!("{other} was not used before"),
        None => true,
    }
}

/// All that are required, and none that is not described.
fn has_members(value: &Value, schema: &Value, components: &Value) -> bool {
    let (members, known) = (value.as_object().unwrap(), schema["properties"].as_object().unwrap());
    let mut required = schema["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap());
    required.all(|name| members.contains_key(name))
        && members.iter().all(|(name, value)| known.get(name).is_some_and(|schema| fits(value, schema, components)))
}

fn is_within<N: TryInto<i64>>(number: N, least: &Value, most: &Value) -> bool {
    number.try_into().is_ok_and(|number| {
        least.as_i64().is_none_or(|least| least <= number) && most.as_i64().is_none_or(|most| number <= most)
    })
}

#[test]
fn what_does_not_fit() {
    let components = serde_json::json!({"Name": {"type": "string", "minLength": 1, "maxLength": 3}});
    let schema = serde_json::json!({
        "type": "object", "required": ["name"],
        "properties": {
            "name": {"$ref": "#/components/schemas/Name"},
            "ages": {"type": ["array", "null"], "maxItems": 2, "items": {"type": "integer", "minimum": 0}},
            "mood": {"type": "string", "enum": ["good"]},
            "data": {"type": "object"},
        },
    });
    let check = |value: &str, expected: bool| {
        let value: Value = serde_json::from_str(value).unwrap();
        assert_eq!(fits(&value, &schema, &components), expected, "{value}");
    };
    check(r#"{"name": "ann", "ages": [1, 2], "mood": "good", "data": {"a": 1}}"#, true);
    check(r#"{"name": "ann", "ages": null}"#, true);
    check("{}", false);
    check("[]", false);
    check(r#"{"name": ""}"#, false);
    check(r#"{"name": "anna"}"#, false);
    check(r#"{"name": 1}"#, false);
    check(r#"{"name": "ann", "stranger": 1}"#, false);
    check(r#"{"name": "ann", "ages": [1, 2, 3]}"#, false);
    check(r#"{"name": "ann", "ages": [-1]}"#, false);
    check(r#"{"name": "ann", "mood": "bad"}"#, false);
    check(r#"{"name": "ann", "data": []}"#, false);
}
