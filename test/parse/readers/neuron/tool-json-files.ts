/** Files of the tool's JSON: real ones of ../shared/data/neuron, and small ones written by tests. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readProfile } from '../../../../src/parse/profile.js';
import type { ProfileLine } from '../../../../src/record/record.js';

/** Captures with the tool's JSON, one of them compressed. */
export const CAPTURES = [
  'trn2_baseline_bf16_s1024/baseline_exec_2_profile_full.json.gz',
  'trn2_baseline_fp32_s512/baseline_exec_2_profile_full.json',
  'trn2_fused_bf16_s1024/fused_exec_2_profile_full.json',
  'trn2_fused_bf16_s512/fused_exec_2_profile_full.json',
  'trn2_fused_fp32_s512/fused_exec_2_profile_full.json',
].map((name) => `data/neuron/${name}`);

/** A capture of each program, not of all extents and types. */
export const SAMPLED = CAPTURES.filter((name) => name.includes('_s512') && !name.includes('fused_fp32'));
/** The others, for long runs where each takes a second. */
export const FURTHER = CAPTURES.filter((name) => !SAMPLED.includes(name));

export type Table = readonly Readonly<Record<string, unknown>>[];
type Tables = Readonly<Record<string, Table>>;

export interface RealFile {
  readonly text: string;
  /** As JSON.parse reads it: integers beyond 2^53 are rounded. */
  readonly tables: Tables;
  /** The same with integers of 16 digits and more as strings. */
  readonly exact: Tables;
  readonly lines: readonly ProfileLine[];
}

const known = new Map<string, RealFile>();

/** A real file and what is read of it, once for all tests. */
export function realFile(path: string): RealFile {
  let file = known.get(path);
  if (file === undefined) {
    const bytes = readFileSync(path);
    const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    const exact = text.replace(/"(?:[^"\\]|\\.)*"|(?<=[:[,])\d{16,}(?=[,}\]])/g, (found) =>
      found.startsWith('"') ? found : `"${found}"`,
    );
    file = {
      text,
      tables: JSON.parse(text) as Tables,
      exact: JSON.parse(exact) as Tables,
      lines: readText(text),
    };
    known.set(path, file);
  }
  return file;
}

/** Runs with a file of this text, which is gone after. */
export function withFile<T>(text: string | Buffer, body: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'dparse-test-'));
  try {
    const path = join(folder, 'ntff.json');
    writeFileSync(path, text);
    return body(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Records of a file of this text; its format is detected unless it is given. */
export const readText = (text: string, format?: string): readonly ProfileLine[] =>
  withFile(text, (path) => [
    ...readProfile(path, { profile: 0, name: 'ntff.json', ...(format === undefined ? undefined : { format }) }),
  ]);

/** Lines of one type. */
export function ofType<T extends ProfileLine['type']>(
  lines: readonly ProfileLine[],
  type: T,
): Extract<ProfileLine, { type: T }>[] {
  return lines.filter((line): line is Extract<ProfileLine, { type: T }> => line.type === type);
}
