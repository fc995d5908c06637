/**
 * Plain readers of the files of profilers, for right answers that share no code with the tools: SQL, JSON, CSV and the
 * wire format of protobuf.
 */
import Database from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const bytesOf = (path: string): Buffer => {
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
};

/** The first cell of the first row of a query; the database may be compressed. */
export function sql(path: string, query: string): unknown {
  const database = new Database(bytesOf(path));
  try {
    return database.prepare(query).pluck().get();
  } finally {
    database.close();
  }
}

export const json = (path: string): unknown => JSON.parse(bytesOf(path).toString('utf8'));

/** An event of a Chrome trace; times in us. */
export interface TraceEvent {
  readonly ph: string;
  readonly cat?: string;
  readonly name: string;
  readonly ts: number;
  readonly dur: number;
  readonly tid: unknown;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Complete events of these categories. */
export function events(path: string, ...categories: readonly string[]): TraceEvent[] {
  const { traceEvents } = json(path) as { readonly traceEvents: readonly TraceEvent[] };
  return traceEvents.filter(({ ph, cat }) => ph === 'X' && categories.includes(cat ?? ''));
}

const ns = (us: number): number => Math.round(us * 1000);

export const duration = (found: readonly TraceEvent[]): number => found.reduce((sum, { dur }) => sum + ns(dur), 0);

/** Time in ns that events cover, each moment counted once. */
export function covered(found: readonly TraceEvent[]): number {
  let [time, end] = [0, -Infinity];
  for (const { ts, dur } of [...found].sort((a, b) => a.ts - b.ts)) {
    const [from, to] = [Math.max(ns(ts), end), ns(ts) + ns(dur)];
    time += Math.max(0, to - from);
    end = Math.max(end, to);
  }
  return time;
}

/** Time in ns from the first start to the last end. */
export const span = (found: readonly TraceEvent[]): number =>
  Math.max(...found.map(({ ts, dur }) => ns(ts) + ns(dur))) - Math.min(...found.map(({ ts }) => ns(ts)));

/** Rows of a CSV file without quoted commas. */
export function csv(path: string): Readonly<Record<string, string>>[] {
  const [header = '', ...lines] = bytesOf(path).toString('utf8').trim().split(/\r?\n/);
  const names = header.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}

/** Fields of a protobuf message: number, and its integer or its bytes. */
function fields(bytes: Uint8Array): (readonly [number: number, value: bigint | Uint8Array])[] {
  const found: (readonly [number, bigint | Uint8Array])[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const [number, type] = [key >> 3, key & 7];
    if (type === 0) found.push([number, varint()]);
    else {
      const length = type === 1 ? 8 : type === 5 ? 4 : Number(varint());
      found.push([number, bytes.subarray(at, (at += length))]);
    }
  }
  return found;
}

const textIn = (message: Uint8Array, number: number): string =>
  Buffer.from((fields(message).find(([n]) => n === number)?.[1] ?? new Uint8Array()) as Uint8Array).toString('utf8');

const messages = (message: Uint8Array, number: number): Uint8Array[] =>
  fields(message).flatMap(([n, value]) => (n === number && typeof value !== 'bigint' ? [value] : []));

/**
 * Number of events on lines of an XSpace (planes 1; name 2, lines 3; name 2, events 4), and their total duration in ns (3,
 * in ps).
 */
export function xplaneEvents(path: string, plane: RegExp, line: RegExp): { count: number; time: number } {
  const planes = messages(bytesOf(path), 1).filter((found) => plane.test(textIn(found, 2)));
  const lines = planes.flatMap((found) => messages(found, 3)).filter((found) => line.test(textIn(found, 2)));
  const durations = lines
    .flatMap((found) => messages(found, 4))
    .map((event) => Number(fields(event).find(([n]) => n === 3)?.[1] ?? 0n));
  return { count: durations.length, time: durations.reduce((sum, ps) => sum + ps, 0) / 1000 };
}
