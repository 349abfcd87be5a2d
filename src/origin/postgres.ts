import postgres from "postgres";
import type { Defer } from "../core/defer.ts";
import type { SqlQuery } from "./pipelines-sql.ts";

/** Runs one query and answers with its rows; throws a `DatabaseFailure`. */
export type RunQuery = (query: SqlQuery, defer: Defer) => Promise<readonly object[]>;

/** Where a database is, and as whom it is asked; a Hyperdrive binding is one. */
export type DatabaseAddress = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

export type DatabaseFault =
  /** It did not answer in time. */
  | "timeout"
  /** It did answer, but ended a statement that took too long. */
  | "too_slow"
  | "unreachable"
  /** A table or a column is not as it was expected, or not to be read. */
  | "schema"
  | "error";

/** Why a query has no rows; the cause is what the library or the database said. */
export class DatabaseFailure extends Error {
  readonly fault: DatabaseFault;
  constructor(fault: DatabaseFault, cause: unknown) {
    super(`The database gave no answer: ${fault}`, { cause });
    this.fault = fault;
  }
}

/**
 * Runs each query on a connection of its own, since what belongs to one request is of no use in another; behind Hyperdrive
 * that is no new connection to the database. Connecting and answering together may take `timeoutMs`. A binding tells its
 * address only while a request is answered; its connection string is of no use, since the password is not encoded in it.
 */
export function postgresRunner(address: () => DatabaseAddress, timeoutMs: number): RunQuery {
  return async ({ text, values }, defer) => {
    const { host, port, user, password, database } = address();
    const sql = postgres({
      host,
      port,
      user,
      password,
      database,
      max: 1,
      fetch_types: false,
      prepare: false,
      connect_timeout: timeoutMs / 1000,
      idle_timeout: 0,
      max_lifetime: null,
      onnotice: () => {},
    });
    const deadline = Promise.withResolvers<never>();
    const timer = setTimeout(() => deadline.reject(new DatabaseFailure("timeout", undefined)), timeoutMs);
    try {
      return await Promise.race([sql.unsafe(text, [...values]), deadline.promise]);
    } catch (error) {
      throw error instanceof DatabaseFailure ? error : new DatabaseFailure(faultOf(error), error);
    } finally {
      clearTimeout(timer);
      defer(sql.end({ timeout: 0 }));
    }
  };
}

/** Codes of the database have five places (PostgreSQL: "Error Codes"), those of the library and of sockets are words. */
export function faultOf(error: unknown): DatabaseFault {
  const { code, message = "" } = error as { readonly code?: unknown; readonly message?: string };
  if (typeof code !== "string") return /connect|network|socket/i.test(message) ? "unreachable" : "error";
  if (code === "CONNECT_TIMEOUT" || code === "ETIMEDOUT") return "timeout";
  if (code === "57014") return "too_slow"; // query_canceled
  if (/^(?:E[A-Z]|CONNECTION_|08|53|57P)/.test(code)) return "unreachable";
  return code.startsWith("42") || code === "3F000" ? "schema" : "error";
}
