import { identifier, type Login, literal, type Postgres } from "./postgres.ts";

/** The columns of a pipeline; partitions repeat them. Those that nothing here reads are left out. */
const TABLES = `
CREATE SCHEMA gitlab_partitions_dynamic;

CREATE TABLE namespaces (
  id bigserial PRIMARY KEY,
  name character varying NOT NULL,
  path character varying NOT NULL,
  type character varying DEFAULT 'User'::character varying NOT NULL,
  parent_id bigint,
  traversal_ids bigint[] DEFAULT '{}'::bigint[] NOT NULL,
  created_at timestamp without time zone,
  updated_at timestamp without time zone
);

CREATE TABLE projects (
  id bigserial PRIMARY KEY,
  name character varying,
  path character varying,
  namespace_id bigint NOT NULL,
  visibility_level integer DEFAULT 0 NOT NULL,
  archived boolean DEFAULT false NOT NULL,
  pending_delete boolean DEFAULT false,
  hidden boolean DEFAULT false NOT NULL,
  created_at timestamp without time zone,
  updated_at timestamp without time zone
);

CREATE TABLE routes (
  id bigserial PRIMARY KEY,
  source_id bigint NOT NULL,
  source_type character varying NOT NULL,
  path character varying NOT NULL,
  name character varying,
  namespace_id bigint,
  created_at timestamp without time zone,
  updated_at timestamp without time zone
);
CREATE UNIQUE INDEX index_routes_on_source_type_and_source_id ON routes (source_type, source_id);
CREATE UNIQUE INDEX index_routes_on_path ON routes (path);
CREATE INDEX index_routes_on_path_text_pattern_ops ON routes (path varchar_pattern_ops);
CREATE INDEX index_on_routes_lower_path ON routes (lower(path::text));

CREATE TABLE users (
  id bigserial PRIMARY KEY,
  email character varying DEFAULT ''::character varying NOT NULL,
  username character varying,
  name character varying,
  state character varying,
  created_at timestamp without time zone,
  updated_at timestamp without time zone
);
CREATE INDEX index_users_on_username ON users (username);
CREATE INDEX index_on_users_lower_username ON users (lower(username::text));

CREATE TABLE merge_requests (
  id bigserial PRIMARY KEY,
  iid integer,
  target_branch character varying NOT NULL,
  source_branch character varying NOT NULL,
  source_project_id bigint,
  target_project_id bigint NOT NULL,
  state_id smallint DEFAULT 1 NOT NULL
);
CREATE UNIQUE INDEX index_merge_requests_on_target_project_id_and_iid ON merge_requests (target_project_id, iid);
CREATE INDEX index_merge_requests_on_source_branch ON merge_requests (source_branch);
CREATE INDEX index_merge_requests_on_source_project_id_and_source_branch
  ON merge_requests (source_project_id, source_branch);

CREATE TABLE p_ci_pipelines (
  ref character varying,
  sha character varying,
  before_sha character varying,
  created_at timestamp without time zone,
  updated_at timestamp without time zone,
  tag boolean DEFAULT false,
  yaml_errors text,
  committed_at timestamp without time zone,
  project_id bigint,
  status character varying,
  started_at timestamp without time zone,
  finished_at timestamp without time zone,
  duration integer,
  user_id bigint,
  lock_version integer DEFAULT 0,
  pipeline_schedule_id bigint,
  source integer,
  config_source integer,
  protected boolean,
  failure_reason integer,
  iid integer,
  merge_request_id bigint,
  source_sha bytea,
  target_sha bytea,
  external_pull_request_id bigint,
  ci_ref_id bigint,
  locked smallint DEFAULT 1 NOT NULL,
  partition_id bigint NOT NULL,
  id bigserial NOT NULL,
  auto_canceled_by_id bigint,
  auto_canceled_by_partition_id bigint,
  trigger_id bigint,
  CONSTRAINT check_2ba2a044b9 CHECK (project_id IS NOT NULL),
  CONSTRAINT check_d7e99a025e CHECK (lock_version IS NOT NULL)
) PARTITION BY LIST (partition_id);
CREATE TABLE ci_pipelines PARTITION OF p_ci_pipelines FOR VALUES IN (100, 101, 102);
CREATE TABLE gitlab_partitions_dynamic.ci_pipelines_103 PARTITION OF p_ci_pipelines FOR VALUES IN (103);

CREATE TABLE ci_pipeline_metadata (
  project_id bigint NOT NULL,
  pipeline_id bigint PRIMARY KEY,
  name text,
  auto_cancel_on_new_commit smallint DEFAULT 0 NOT NULL,
  auto_cancel_on_job_failure smallint DEFAULT 0 NOT NULL,
  partition_id bigint NOT NULL,
  CONSTRAINT check_9d3665463c CHECK (char_length(name) <= 255)
);
CREATE INDEX index_ci_pipeline_metadata_on_project_id ON ci_pipeline_metadata (project_id);

CREATE TABLE p_ci_stages (
  project_id bigint,
  name character varying,
  status integer,
  "position" integer,
  pipeline_id bigint NOT NULL,
  id bigserial NOT NULL,
  partition_id bigint NOT NULL,
  PRIMARY KEY (id, partition_id)
) PARTITION BY LIST (partition_id);
CREATE TABLE ci_stages PARTITION OF p_ci_stages FOR VALUES IN (100, 101, 102, 103);

CREATE TABLE p_ci_builds (
  status character varying,
  finished_at timestamp without time zone,
  created_at timestamp without time zone,
  updated_at timestamp without time zone,
  started_at timestamp without time zone,
  queued_at timestamp without time zone,
  erased_at timestamp without time zone,
  coverage double precision,
  name character varying,
  allow_failure boolean DEFAULT false NOT NULL,
  failure_reason integer,
  retried boolean,
  stage_id bigint,
  user_id bigint,
  project_id bigint,
  commit_id bigint,
  type character varying,
  ref character varying,
  tag boolean,
  id bigserial NOT NULL,
  partition_id bigint NOT NULL,
  PRIMARY KEY (id, partition_id)
) PARTITION BY LIST (partition_id);
CREATE TABLE ci_builds PARTITION OF p_ci_builds FOR VALUES IN (100, 101, 102, 103);
CREATE INDEX p_ci_builds_commit_id_type_name_ref_idx ON p_ci_builds (commit_id, type, name, ref);
`;

/** Those of a pipeline that a list could be read by, and that keep the rest of its work honest. */
const PIPELINE_INDEXES = `
ALTER TABLE p_ci_pipelines ADD CONSTRAINT p_ci_pipelines_pkey PRIMARY KEY (id, partition_id);
CREATE INDEX p_ci_pipelines_project_id_id_idx ON p_ci_pipelines (project_id, id DESC);
CREATE UNIQUE INDEX p_ci_pipelines_project_id_iid_partition_id_idx
  ON p_ci_pipelines (project_id, iid, partition_id) WHERE iid IS NOT NULL;
CREATE INDEX p_ci_pipelines_project_id_ref_id_idx ON p_ci_pipelines (project_id, ref, id DESC);
CREATE INDEX p_ci_pipelines_project_id_ref_status_id_idx ON p_ci_pipelines (project_id, ref, status, id);
CREATE INDEX p_ci_pipelines_project_id_sha_idx ON p_ci_pipelines (project_id, sha);
CREATE INDEX p_ci_pipelines_project_id_source_idx ON p_ci_pipelines (project_id, source);
CREATE INDEX p_ci_pipelines_project_id_status_config_source_idx ON p_ci_pipelines (project_id, status, config_source);
CREATE INDEX p_ci_pipelines_project_id_status_created_at_idx ON p_ci_pipelines (project_id, status, created_at);
CREATE INDEX p_ci_pipelines_project_id_status_updated_at_idx ON p_ci_pipelines (project_id, status, updated_at);
CREATE INDEX p_ci_pipelines_project_id_user_id_status_ref_idx
  ON p_ci_pipelines (project_id, user_id, status, ref) WHERE source <> 12;
CREATE INDEX p_ci_pipelines_status_id_idx ON p_ci_pipelines (status, id);
CREATE INDEX p_ci_pipelines_user_id_created_at_source_idx ON p_ci_pipelines (user_id, created_at, source);
`;

/** All that the edge's query reads, column by column: neither an address of a user nor a variable of a pipeline. */
export const READER_GRANTS = {
  projects: "id, pending_delete, hidden",
  routes: "source_id, source_type, path",
  users: "id, username",
  merge_requests: "iid, source_branch, source_project_id",
  p_ci_pipelines:
    "id, iid, project_id, sha, ref, status, source, created_at, updated_at, user_id, yaml_errors",
  ci_pipeline_metadata: "pipeline_id, name",
} as const;

/** GitLab's own tables as far as lists of pipelines need them (its `db/structure.sql`, 18.0), empty and without most indexes of pipelines. */
export async function createGitlabTables(postgres: Postgres, database: string): Promise<void> {
  await postgres.execute(database, TABLES);
}

/** GitLab's indexes of pipelines; quicker to make when the rows are there. */
export async function createPipelineIndexes(postgres: Postgres, database: string): Promise<void> {
  await postgres.execute(database, `${PIPELINE_INDEXES} ANALYZE;`);
}

export type ReaderOptions = Login & {
  /** After which a statement of its is cancelled. */
  readonly statementTimeoutMs: number;
};

/** A role that can read what a list of pipelines is made of, and nothing else. */
export async function createReader(
  postgres: Postgres,
  database: string,
  { role, password, statementTimeoutMs }: ReaderOptions,
): Promise<void> {
  const name = identifier(role);
  const grants = Object.entries(READER_GRANTS).map(
    ([table, columns]) => `GRANT SELECT (${columns}) ON ${table} TO ${name};`,
  );
  await postgres.execute(
    database,
    `CREATE ROLE ${name} LOGIN PASSWORD ${literal(password)};
     ALTER ROLE ${name} SET default_transaction_read_only = on;
     ALTER ROLE ${name} SET statement_timeout = ${statementTimeoutMs};
     ${grants.join("\n")}`,
  );
}
