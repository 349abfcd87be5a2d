import { literal, type Postgres } from "./postgres.ts";

export type SeededProject = {
  readonly id: number;
  /** With its namespaces. */
  readonly path: string;
  /** How many pipelines it has, numbered from 1. */
  readonly pipelines: number;
};

export type Seed = {
  readonly projects: readonly SeededProject[];
  /** The names of users, whose ids are their places from 1; pipelines are theirs in turn. */
  readonly users: readonly string[];
  /** A branch that merge requests of the first project start from, and nothing else. */
  readonly mergeRequestBranch?: string;
};

/** Rows of GitLab's tables that are the same in every run: made by the database itself, a million pipelines in a quarter of a minute. */
export async function seedGitlab(postgres: Postgres, database: string, seed: Seed): Promise<void> {
  await postgres.execute(database, seedUsers(seed.users));
  for (const project of seed.projects) {
    await postgres.execute(database, seedProject(project));
    await postgres.execute(database, seedPipelines(project, seed.users.length));
  }
  const [first] = seed.projects;
  if (first !== undefined && seed.mergeRequestBranch !== undefined)
    await postgres.execute(database, seedMergeRequest(first, seed.mergeRequestBranch));
}

function seedUsers(users: readonly string[]): string {
  const rows = users.map((name, index) => `(${index + 1}, ${literal(name)}, ${literal(name)}, 'active')`);
  return `INSERT INTO users (id, username, name, state) VALUES ${rows.join(", ")};`;
}

/** The namespaces on the way are those of whichever project came first. */
function seedProject({ id, path }: SeededProject): string {
  const segments = path.split("/");
  const name = segments.at(-1) ?? path;
  const namespaces = segments.slice(0, -1).map((segment, index) => {
    const full = segments.slice(0, index + 1).join("/");
    return `
      WITH made AS (
        INSERT INTO namespaces (name, path, type, parent_id)
        SELECT ${literal(segment)}, ${literal(segment)}, 'Group',
          (SELECT source_id FROM routes WHERE source_type = 'Namespace'
            AND path = ${literal(segments.slice(0, index).join("/"))})
        WHERE NOT EXISTS (SELECT FROM routes WHERE path = ${literal(full)})
        RETURNING id
      )
      INSERT INTO routes (source_id, source_type, path, name)
      SELECT id, 'Namespace', ${literal(full)}, ${literal(full)} FROM made;`;
  });
  const parent = segments.slice(0, -1).join("/");
  return `${namespaces.join("\n")}
    INSERT INTO projects (id, name, path, namespace_id, visibility_level)
    SELECT ${id}, ${literal(name)}, ${literal(name)}, source_id, 20 FROM routes
    WHERE source_type = 'Namespace' AND path = ${literal(parent)};
    INSERT INTO routes (source_id, source_type, path, name)
    VALUES (${id}, 'Project', ${literal(path)}, ${literal(path)});`;
}

/** Ids of a project's pipelines begin here, one project after the other. */
const IDS_APART = 10_000_000;

/**
 * A pipeline every 37 seconds and some microseconds. The newest sixty are still under way, the older half is in another partition.
 * `n * 7919 % 100` deals each kind its share, without the order of one showing in another.
 */
function seedPipelines({ id, pipelines }: SeededProject, users: number): string {
  const first = id * IDS_APART;
  return `
    INSERT INTO p_ci_pipelines (partition_id, id, iid, project_id, sha, before_sha, ref, tag, status, source, config_source,
      user_id, yaml_errors, created_at, updated_at, started_at, finished_at, committed_at, duration, failure_reason)
    SELECT
      CASE WHEN n <= ${pipelines} / 2 THEN 100 ELSE 103 END,
      ${first} + n, n, ${id},
      md5(${id} || ' ' || n / 2) || left(md5('sha ' || n / 2), 8), repeat('0', 40),
      CASE
        WHEN a < 45 THEN 'main'
        WHEN a < 50 THEN 'release/2024 & <next>'
        WHEN a < 53 THEN 'v1.' || n % 400
        WHEN a < 70 THEN 'refs/merge-requests/' || n % 5000 + 1 || '/head'
        ELSE 'feature/' || n % 3000
      END,
      a BETWEEN 50 AND 52,
      CASE
        WHEN n > ${pipelines} - 60 THEN
          (ARRAY['running', 'pending', 'created', 'waiting_for_resource', 'preparing', 'manual', 'scheduled'])[(n % 7)::int + 1]
        WHEN b < 74 THEN 'success' WHEN b < 90 THEN 'failed' WHEN b < 95 THEN 'canceled' ELSE 'skipped'
      END,
      CASE
        WHEN a BETWEEN 53 AND 69 THEN 10 WHEN c < 70 THEN 1 WHEN c < 80 THEN 4 WHEN c < 85 THEN 2 WHEN c < 88 THEN 3
        WHEN c < 91 THEN 5 WHEN c < 97 THEN 12 WHEN c < 98 THEN NULL ELSE c % 19
      END,
      1,
      n * 31 % ${users} + 1,
      CASE WHEN b = 80 THEN 'jobs:test config should be a hash' END,
      at, at + ends + interval '0.123457 s', at + interval '4 s', at + ends, at - interval '9 s',
      extract(epoch FROM ends)::int - 4, CASE WHEN b = 80 THEN 1 END
    FROM (
      SELECT n, n * 7919 % 100 AS a, n * 6007 % 100 AS b, n * 4999 % 100 AS c,
        timestamp '2024-01-01 00:00:00' + n * interval '37.001234 s' AS at,
        (60 + n * 7907 % 1800) * interval '1 s' AS ends
      FROM generate_series(1::bigint, ${pipelines}) AS n
    ) AS dealt;

    INSERT INTO ci_pipeline_metadata (partition_id, project_id, pipeline_id, name)
    SELECT partition_id, project_id, id,
      (ARRAY['Nightly', 'Build & deploy <main>', E'Two\\nlines\\t"quoted" \\\\', U&'L\\00fcbeck \\2192 M\\00fcnchen \\2028', 'nightly'])
        [iid % 5 + 1]
    FROM p_ci_pipelines WHERE project_id = ${id} AND iid % 4 = 0;`;
}

function seedMergeRequest({ id }: SeededProject, branch: string): string {
  return `INSERT INTO merge_requests (iid, target_branch, source_branch, source_project_id, target_project_id)
    SELECT n, 'main', ${literal(branch)}, ${id}, ${id} FROM generate_series(1, 5000) AS n WHERE n % 100 = 4;`;
}
