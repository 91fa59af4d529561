//! Where the workload and the auditor are joined. Their places are held by the least that keeps servers busy.

pub(super) mod workload {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use anyhow::{Context, Result};
    use serde_json::json;
    use surehold_lab::torture::history::Recorder;
    use tokio::task::JoinSet;
    use tokio_util::sync::CancellationToken;

    #[derive(Clone, Debug)]
    pub(crate) struct WorkloadPlan {
        pub(crate) seed: u64,
        pub(crate) clients: usize,
        pub(crate) nodes: Vec<String>,
        pub(crate) tenant: String,
        pub(crate) api_key: String,
        pub(crate) charges: bool,
    }

    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Tally {
        pub(crate) useful: u64,
        pub(crate) repeated: u64,
        pub(crate) refused: u64,
        pub(crate) turned_away: u64,
        pub(crate) unknown: u64,
    }

    impl Tally {
        pub(crate) fn ok(&self) -> u64 {
            self.useful + self.repeated
        }

        pub(crate) fn fail(&self) -> u64 {
            self.refused + self.turned_away
        }

        pub(crate) fn asked(&self) -> u64 {
            self.ok() + self.fail() + self.unknown
        }

        pub(crate) fn useful_percent(&self) -> u64 {
            (self.useful * 100).checked_div(self.asked() - self.turned_away).unwrap_or(0)
        }
    }

    #[derive(Debug, Default)]
    pub(crate) struct Counts {
        useful: AtomicU64,
        turned_away: AtomicU64,
    }

    impl Counts {
        pub(crate) fn total(&self) -> Tally {
            let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
            Tally { useful: read(&self.useful), turned_away: read(&self.turned_away), ..Tally::default() }
        }
    }

    #[derive(Clone, Debug)]
    pub(crate) struct WorkloadEnd {
        pub(crate) total: Tally,
        pub(crate) by_function: BTreeMap<&'static str, Tally>,
    }

    impl WorkloadEnd {
        pub(crate) fn is_meaningful(&self) -> bool {
            self.total.useful > 0
        }
    }

    pub(crate) async fn run(
        plan: WorkloadPlan,
        _recorder: Arc<Recorder>,
        counts: Arc<Counts>,
        stop: CancellationToken,
    ) -> Result<WorkloadEnd> {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(15)).build()?;
        let mut clients = JoinSet::new();
        for client in 0..plan.clients {
            let (plan, counts, stop, http) = (plan.clone(), Arc::clone(&counts), stop.clone(), http.clone());
            clients.spawn(async move {
                let mut turn = client + usize::try_from(plan.seed % 100).unwrap_or(0);
                while !stop.is_cancelled() {
                    turn += 1;
                    let node = &plan.nodes[turn % plan.nodes.len()];
                    let base = format!("{node}/v1/{}", plan.tenant);
                    let put = http.put(format!("{base}/pools")).json(&json!({
                        "pools": [{ "resource": format!("client-{client}"), "total": turn }] }));
                    let charge = http.post(format!("{base}/tasks/charge"));
                    let name = format!("{}-{client}-{turn}", if turn % 3 == 0 { "fee" } else { "p" });
                    let charge = charge.header("surehold-task-id", &name);
                    let charge = charge.json(&json!({ "purchase": name, "amount": 100 }));
                    let request = if plan.charges && turn % 20 == 0 { charge } else { put };
                    let answer = request.bearer_auth(&plan.api_key).send().await;
                    if answer.is_ok_and(|answer| answer.status().is_success()) {
                        counts.useful.fetch_add(1, Ordering::Relaxed);
                    } else {
                        counts.turned_away.fetch_add(1, Ordering::Relaxed);
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                }
            });
        }
        while let Some(ended) = clients.join_next().await {
            ended.context("a client panicked")?;
        }
        let total = counts.total();
        let by_function = BTreeMap::from([("put_pool", total)]);
        Ok(WorkloadEnd { total, by_function })
    }
}
