//! Tasks, and the worker that sees to them.

use serde_json::{Value, json};

use super::{SECOND, World};
use crate::torture::auditor::{ChargeSeen, OperationSeen};
use crate::torture::history::Answer;

impl World {
    pub(super) fn receive(&mut self, task: &str, kind: &str, key: &str, amount: i64) -> Answer {
        if !self.received.insert(format!("{kind} {task}")) {
            return Answer::Task { replayed: true };
        }
        let operation = json!({"type": kind, "key": key});
        self.emit(json!({"type": "inbox_received", "source": "tasks", "external_id": task, "operation": operation}));
        let seen = OperationSeen {
            kind: kind.to_owned(),
            key: key.to_owned(),
            state: "PENDING".to_owned(),
            dead_code: None,
            run_at: Some(self.now),
            waiting_on: None,
            // Until it is done: what it is about.
            result: Some(json!(amount)),
            effects: Vec::new(),
            attempts: Vec::new(),
        };
        self.operations.entry((kind.to_owned(), key.to_owned())).or_insert(seen);
        Answer::Task { replayed: false }
    }

    /// A worker looks at everything that is not done.
    pub(in crate::torture::auditor::tests) fn work(&mut self) {
        self.open = false;
        let open: Vec<OperationSeen> = self.operations.values().filter(|o| o.state == "PENDING").cloned().collect();
        for mut operation in open {
            if operation.kind == "EXPIRE_HOLD" {
                let hold = self.holds.get(&operation.key.parse().unwrap()).cloned();
                match hold {
                    Some(hold) if self.is_live(&hold) => operation.run_at = Some(hold.expires_at),
                    Some(_) => {
                        self.sweep();
                        self.succeed(&mut operation, None);
                    }
                    None => operation.run_at = Some(self.now + 60 * SECOND),
                }
            } else if self.is_declining {
                (operation.dead_code, operation.effects) =
                    (Some("card_declined".to_owned()), vec!["REJECTED".to_owned()]);
                self.die(&mut operation);
            } else {
                let amount = operation.result.take().unwrap().as_i64().unwrap();
                operation.effects = vec!["CONFIRMED".to_owned()];
                let name = format!("17.{}.{}.0", operation.kind, operation.key);
                self.charges.push(ChargeSeen { operation: name, amount, times: 1 });
                self.succeed(&mut operation, Some(json!({"charges": ["ch_1"]})));
                let key = format!("{}:{}", operation.kind, operation.key);
                let mut note =
                    OperationSeen { kind: "NOTE_CHARGE".to_owned(), key, effects: Vec::new(), ..operation.clone() };
                self.succeed(&mut note, None);
            }
            self.operations.insert((operation.kind.clone(), operation.key.clone()), operation);
        }
    }

    pub(super) fn succeed(&mut self, operation: &mut OperationSeen, result: Option<Value>) {
        (operation.state, operation.run_at, operation.result) = ("SUCCEEDED".to_owned(), None, result);
        let name = json!({"type": operation.kind, "key": operation.key});
        self.emit(json!({"type": "operation_succeeded", "operation": name, "generation": 1}));
        self.operations.insert((operation.kind.clone(), operation.key.clone()), operation.clone());
    }

    pub(super) fn die(&mut self, operation: &mut OperationSeen) {
        (operation.state, operation.run_at, operation.result) = ("DEAD_LETTER".to_owned(), None, None);
        let name = json!({"type": operation.kind, "key": operation.key});
        self.emit(json!({"type": "operation_died", "operation": name, "generation": 1, "code": operation.dead_code}));
    }
}
