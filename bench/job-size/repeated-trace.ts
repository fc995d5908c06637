/**
 * One trace as that of each rank of a job: rank, size of the job and clock are its own, all else is shared. A rank is a
 * gzip file of two members, of which the second one, compressed once, is the same for all.
 */
import { gzipSync } from 'node:zlib';
import { memberHeadOf, memberLines, memberText, partialLine } from '../../src/prof/partial/member-builder.js';
import { readTrace } from '../repeat-trace.js';

/** Clocks of two ranks that follow each other differ by so much. */
const CLOCK_STEP_NS = 1_000_003n;
/** What the first member states instead, under names that no reader knows. */
const OWN = [
  ['"distributedInfo"', '"distributedInfoOfTrace"'],
  ['"baseTimeNanoseconds"', '"baseTimeOfTrace"'],
] as const;

export interface RepeatedTrace {
  readonly base: bigint;
  /** Compressed, from behind the first brace on. */
  readonly body: Buffer;
}

/** @throws Error for a trace without the moment from which its times count */
export function repeatedTrace(path: string): RepeatedTrace {
  let text = readTrace(path).toString('utf8');
  const [, base] = /"baseTimeNanoseconds":\s*(\d+)/.exec(text) ?? [];
  if (base === undefined) throw new Error(`${path}: has no baseTimeNanoseconds`);
  for (const [name, other] of OWN) text = text.replace(name, other);
  return { base: BigInt(base), body: gzipSync(text.slice(text.indexOf('{') + 1)) };
}

/** The file of a rank, compressed. */
export function traceOfRank({ base, body }: RepeatedTrace, rank: number, ranks: number): Buffer {
  const info = JSON.stringify({ backend: 'nccl', rank, world_size: ranks });
  const time = base + BigInt(rank) * CLOCK_STEP_NS;
  return Buffer.concat([gzipSync(`{"distributedInfo":${info},"baseTimeNanoseconds":${time},`), body]);
}

/** What is a rank's own in a member of a partial answer: its profile line, and each of its parts for `dprof ranks`. */
interface OwnFields {
  readonly file: string;
  readonly rank: number;
  readonly worldSize: number;
  readonly startUnixNs: string | null;
}

const ownFieldsOf = (fields: OwnFields, from: number, rank: number): OwnFields => ({
  ...fields,
  file: fields.file.replace(`rank_${from}.`, `rank_${rank}.`),
  rank,
  startUnixNs:
    fields.startUnixNs === null ? null : String(BigInt(fields.startUnixNs) + BigInt(rank - from) * CLOCK_STEP_NS),
});

/**
 * The partial answer of a rank from that of another one of the same job.
 * @param text content of the file of rank `from`, with one member
 */
export function partialOfRank(text: string, from: number, rank: number): string {
  const [, head = '', ...lines] = text.split('\n').slice(0, -1);
  const { fields } = memberHeadOf(head) ?? {};
  const profile = JSON.parse(`{${fields ?? ''}`) as OwnFields;
  const own = { type: 'profile', v: 1, profile: 0, ...ownFieldsOf(profile, from, rank) };
  const member = memberLines(
    JSON.stringify(own),
    lines.map((line) => {
      if (!line.startsWith('{"type":"part-ranks"')) return line;
      const part = JSON.parse(line) as { readonly data: readonly OwnFields[] };
      return JSON.stringify({ ...part, data: part.data.map((one) => ownFieldsOf(one, from, rank)) });
    }),
  );
  return partialLine(1) + memberText(member, 0);
}
