"""Twenty problems of daily work with systems, their solutions, and each problem in other words."""

from typing import NamedTuple


class Pair(NamedTuple):
    """A problem, what solved it, and the same problem as somebody else would put it."""

    problem: str
    solution: str
    asked: str


PAIRS = (
    Pair(
        "Our PostgreSQL table keeps growing on disk although we delete old rows every night. Queries on it get slower each week.",
        "Deleted rows stay as dead tuples until vacuum removes them. Lower autovacuum_vacuum_scale_factor to 0.02 for this table, so that autovacuum runs more often. Run VACUUM (VERBOSE) once now, and pg_repack if the file must shrink. Check n_dead_tup in pg_stat_user_tables the day after.",
        "Why does a relation take more and more space and become sluggish when we purge it daily?",
    ),
    Pair(
        "The Docker image of our Python service is 1.9 GB and takes minutes to pull on every deploy.",
        "Build in two stages and copy only the virtual environment into python:3.12-slim. Put requirements.txt before the source, so that the layer with the packages stays cached. Add .git, tests and data to .dockerignore. The image came down to 210 MB.",
        "How do we get a smaller container for the backend, so that rolling it out is quicker?",
    ),
    Pair(
        "Requests to the payment provider fail now and then with a read timeout, and customers are charged twice when we retry.",
        "Send an Idempotency-Key header that is made once for each order, not for each attempt. Retry at most three times with exponential backoff and jitter, from 500 ms on. Treat a timeout as unknown and ask GET /charges for the key before anything else. Set the read timeout to 20 s.",
        "People get billed two times after the checkout call hangs and is repeated. What can be done?",
    ),
    Pair(
        "Kubernetes restarts our worker pod every few hours with OOMKilled, though its memory looks flat in Grafana.",
        "The dashboard shows an average over five minutes and misses the peaks. Look at container_memory_working_set_bytes with a one-second step. The peak came from loading whole CSV files: read them in chunks of 50,000 rows. Raise the limit to 768Mi and keep the request at 512Mi.",
        "The background job's container is killed for using too much RAM, but the graph does not show it.",
    ),
    Pair(
        "After the certificate was renewed, nginx still serves the old one and browsers warn that it has expired.",
        "nginx reads certificates only when it starts or reloads. Add a deploy hook to certbot: --deploy-hook 'systemctl reload nginx'. Check with openssl s_client -connect host:443 that the new dates are served. Make sure that ssl_certificate points to the live folder and not to an archive file.",
        "Visitors see an outdated TLS warning even though we got a fresh one from the authority.",
    ),
    Pair(
        "The Redis instance is full and evicts session keys, so users are logged out at random.",
        "Sessions and cache share one instance with allkeys-lru, so any key may go. Move the sessions to an instance of their own with noeviction. Give every cache key a TTL of at most one hour. Watch evicted_keys in INFO stats and alert when it grows.",
        "Our customers suddenly have to sign in again because the in-memory store runs out of room.",
    ),
    Pair(
        "Our Kafka consumers fall behind after each deploy and rebalance for several minutes.",
        "Switch to the CooperativeStickyAssignor, so that only the partitions that move are stopped. Set group.instance.id for static membership and session.timeout.ms to 45000. Roll the pods one at a time with a pause of 60 s. The lag stayed under 2,000 messages afterwards.",
        "Message processing is delayed for a long while whenever we release a new version of the subscribers.",
    ),
    Pair(
        "The nightly cron job that exports invoices ran twice in October and never in March, always around the change of the clocks.",
        "The machine's zone is Europe/Berlin, where 02:30 comes twice or not at all on those nights. Set CRON_TZ=UTC, or move the job to 04:15. Let the job take an advisory lock with the date as its key, so that a second run ends at once. Backfill the missing night by hand with --date.",
        "A scheduled report was produced two times in autumn and skipped in spring. How to prevent it?",
    ),
    Pair(
        "Our React page re-renders the whole table of 5,000 rows whenever someone types into the search box.",
        "The filter state lives in the page component, so each key changes its parent. Move the input into a component of its own and pass the query through useDeferredValue. Wrap the row in React.memo and give it a stable key. Render only what is visible with react-window.",
        "Typing in the filter field of our front end is laggy because the big list is drawn again every time.",
    ),
    Pair(
        "Git clone of our monorepo takes 25 minutes on the build machines, because somebody once committed videos.",
        "Clone with --filter=blob:none and a sparse checkout of the folders that the job needs. Remove the videos from history with git filter-repo --strip-blobs-bigger-than 20M and have everybody clone again. Large files go to Git LFS instead. A pre-receive hook refuses blobs over 20 MB.",
        "Fetching the sources in CI is painfully slow since large media files are in the repository's past.",
    ),
    Pair(
        "Terraform wants to destroy and recreate our production database after somebody renamed the resource in the code.",
        "Terraform takes the new name for a new resource. Add a moved block from the old address to the new one, and the plan shows no change. Set prevent_destroy in the lifecycle of the database. Read the plan in review: any line with forces replacement stops the merge.",
        "An infrastructure change plans to delete the live data store just because an identifier was changed.",
    ),
    Pair(
        "Emails from our application land in the spam folder at Gmail since we moved to another mail provider.",
        "The SPF record still names the old provider only. Add include:spf.newmail.example and remove the old one. Publish the DKIM key of the new provider under its selector, and set DMARC to p=quarantine with reports. Warm up the new address with 500 messages a day in the first week.",
        "Why do our newsletters get filtered as junk after switching the sending service?",
    ),
    Pair(
        "Elasticsearch turned all indices read-only and logging stopped during the night.",
        "The disk passed the flood stage watermark of 95 percent. Free space by deleting indices older than 30 days, then clear index.blocks.read_only_allow_delete. Add an ILM policy with rollover at 50 GB and deletion after 30 days. Alert at 80 percent of the disk.",
        "The search cluster refuses writes and no log lines have arrived since midnight.",
    ),
    Pair(
        "The Android app crashes at start on Android 14 only, with a SecurityException about a broadcast receiver.",
        "Since API level 34 a receiver registered at run time must say whether it is exported. Call ContextCompat.registerReceiver with RECEIVER_NOT_EXPORTED. Check third-party SDKs too: the analytics library needed version 21.5. Run the smoke test on an emulator with API 34 in CI.",
        "On the newest phones our mobile client dies right after launching because of a missing export flag.",
    ),
    Pair(
        "Two services deadlock in MySQL when orders are cancelled while the stock is being counted.",
        "Both lock the same rows in another order. Lock the products by ascending id in both services before the orders are touched. Keep the transaction short: compute the sums before it begins. Retry on error 1213 up to three times, and log SHOW ENGINE INNODB STATUS.",
        "Concurrent transactions block each other when inventory is updated and purchases are revoked.",
    ),
    Pair(
        "Our GraphQL endpoint makes 300 SQL queries for one page with authors and their books.",
        "Each book resolver loads its author alone. Use a DataLoader per request that collects the ids and loads them with one WHERE id = ANY query. Limit the depth of queries to 6 and their cost to 1,000. The page now takes 4 queries and 80 ms.",
        "One request to the API causes hundreds of database round trips for nested objects.",
    ),
    Pair(
        "The Jenkins agents run out of inodes although the disk is only half full.",
        "Millions of small files of node_modules stay in old workspaces. Delete workspaces after each build with cleanWs, and share one pnpm store between the jobs. Recreate the file system with mkfs.ext4 -i 8192 on the next rebuild. Check with df -i in the health job.",
        "Builds stop because no new files can be created, yet there are plenty of free gigabytes.",
    ),
    Pair(
        "Users in Australia wait three seconds for the first byte, while those in Frankfurt wait 90 milliseconds.",
        "Every page is rendered in eu-central-1. Put the static pages behind CloudFront with stale-while-revalidate=600. Keep a read replica in ap-southeast-2 and send GET requests there by latency-based routing. Writes still go to Frankfurt, and the session pins reads to the primary for five seconds.",
        "The site is very slow for visitors on the other side of the world. How can latency be cut?",
    ),
    Pair(
        "Our Flask API returns 413 for uploads over one megabyte, but only behind the ingress.",
        "The limit is that of the ingress and not of Flask. Set nginx.ingress.kubernetes.io/proxy-body-size to 50m on the route of the uploads. Set MAX_CONTENT_LENGTH in Flask to the same value, so that the error is a JSON one. Larger files go to S3 with a presigned URL.",
        "Sending bigger files to the web service is rejected as too large in the cluster and works locally.",
    ),
    Pair(
        "The ML training job gives other results on each run, though the seed is set at its beginning.",
        "The order of the data loader's workers and cuDNN's choice of kernels are not fixed by the seed. Set torch.use_deterministic_algorithms(True) and CUBLAS_WORKSPACE_CONFIG=:4096:8. Give the DataLoader a generator and a worker_init_fn. Write the hash of the data set and the versions of all packages beside the model.",
        "How do we make model fitting reproducible? Metrics differ each time despite a fixed random state.",
    ),
)

# In these rounds, by how many rounds there are, the user comes back to the problem instead of telling it.
FOLLOW_UPS = {
    5: {0, 3},
    10: {4},
    15: set[int](),
    20: {3, 9, 11},
    25: {1, 18},
    30: {1, 4, 6, 13, 15, 19},
    35: {4, 8, 14, 16, 17, 18, 19, 23, 25},
    40: {7, 13, 20, 21, 22, 31, 33, 35, 36},
    45: {0, 17, 28, 40},
    50: {5, 6, 8, 9, 15, 22, 32, 40},
    60: {18, 20, 22, 35, 38, 50},
    70: {35, 43, 58},
    80: {1, 5, 12, 37, 40, 42, 47, 51, 54, 61, 69},
    90: {0, 3, 18, 19, 27, 39, 40, 45, 49, 64, 66, 76, 80},
    100: {4, 16, 19, 25, 29, 42, 52, 55, 63, 69, 77, 81, 83},
}


def conversation(rounds: int, first: int = 0) -> list[dict[str, str]]:
    """Messages of so many rounds; round i is about pair `first + i`."""
    made = []
    for number in range(rounds):
        pair = PAIRS[(first + number) % len(PAIRS)]
        said = pair.problem
        if number in FOLLOW_UPS.get(rounds, ()):
            said = f"Your earlier suggestion did not help. The log says: ERROR [{4000 + number}] still failing. {pair.problem}"
        made += [{"role": "user", "content": said}, {"role": "assistant", "content": pair.solution}]
    return made
