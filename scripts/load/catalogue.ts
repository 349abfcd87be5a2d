import type { MarkedContent } from "./content.ts";

/** What the origins of the load hold: the same on the side that makes them and on that which asks for them. */
export const PROJECTS = 8;
export const FILES = 10_000;
export const PIPELINES = 20;
export const OBJECTS = 200;
export const ENTRIES = 30;
/** The first projects have a job with artifacts each. */
export const JOBS = 6;
/** As many are asked for where only one lane is. */
export const LANE_PROJECTS = 2;
export const BUCKETS = ["closed", "open"] as const;
export const JOB_NAME = "build";

const KIB = 1024;
const FIRST_JOB = 7000;
const LARGE_EVERY = 1000;
const MIDDLE_EVERY = 50;
const LARGE_BYTES = 3000 * KIB;
const MIDDLE_BYTES = 64 * KIB;
const SMALL_BYTES = 600;
const SMALL_SPREAD = 3000;
const GROWTH_STEP = 37;
const MOST_GROWTH = 512;

/** One of the files of all projects; the hottest ones are in projects of both kinds. */
export type LoadFile = { readonly project: number; readonly path: string; readonly bytes: number };

/** What is allowed or refused as one: a project, or a bucket. */
export type Unit = string;

/** Every other project is one that not everybody may read. */
export function isOpenProject(project: number): boolean {
  return project % 2 === 0;
}

export function projectName(project: number): string {
  return isOpenProject(project) ? `load/open-${project}` : `load/closed/project-${project}`;
}

/** The forge's number of a project. */
export function projectId(project: number): number {
  return project + 1;
}

export function projectUnit(project: number): Unit {
  return `p${project}`;
}

export function bucketUnit(bucket: string): Unit {
  return `b-${bucket}`;
}

export function fileAt(index: number): LoadFile {
  const project = index % PROJECTS;
  const number = Math.floor(index / PROJECTS);
  return { project, path: `d${number % 10}/f${number}.txt`, bytes: bytesOf(index) };
}

/** Where a file is among all. */
export function fileIndex(unit: Unit, path: string): number {
  return Number(unit.slice(1)) + PROJECTS * Number(/f(\d+)/.exec(path)?.[1]);
}

/** A file as it is in one of its revisions, each of another length. */
export function fileContent({ project, path, bytes }: LoadFile, revision: number): MarkedContent {
  const grown = (revision * GROWTH_STEP) % MOST_GROWTH;
  return { name: `${projectUnit(project)}/${path}`, revision, bytes: bytes + grown };
}

/** An object, which never changes. */
export function objectContent(bucket: string, index: number): MarkedContent {
  return {
    name: `${bucketUnit(bucket)}/${objectKey(index)}`,
    revision: 0,
    bytes: bytesOf(index * MIDDLE_EVERY * 2 + index),
  };
}

export function objectKey(index: number): string {
  return `k${index % 7}/o${index}.txt`;
}

export function jobId(project: number): number {
  return FIRST_JOB + project;
}

export function entryPath(index: number): string {
  return index % 3 === 0 ? `logs/e${index}.txt` : `report/part-${index % 5}/e${index}.txt`;
}

export function entryContent(project: number, index: number): MarkedContent {
  const bytes = index === 0 ? 20 * MIDDLE_BYTES : SMALL_BYTES + ((index * 977) % (16 * KIB));
  return { name: `j${jobId(project)}/${entryPath(index)}`, revision: 0, bytes };
}

function bytesOf(index: number): number {
  if (index % LARGE_EVERY === LARGE_EVERY - 1) return LARGE_BYTES + index;
  if (index % MIDDLE_EVERY === MIDDLE_EVERY - 1) return MIDDLE_BYTES + index;
  return SMALL_BYTES + ((index * 7919) % SMALL_SPREAD);
}
