/**
 * PyTorch's own projection of annotations to a device, the rows `gpu_user_annotation` of a trace: one for each annotation
 * and stream, from 1 ns before the first work to 1 ns after the last that was launched on its thread while it was the
 * innermost annotation. Ours hold all that was launched while they were open, so that these rows must follow from ours.
 */
import { expect } from 'chai';
import { entryOf } from '../../../src/containers/map-entry.js';
import { openProfile } from '../../../src/parse/find.js';
import { readProfile } from '../../../src/parse/profile.js';
import type { ProfileLine, RangeRecord } from '../../../src/record/record.js';
import { fileOf, rawTraceOf, traceOf, unixNs, type RawTrace } from '../../support/kineto.js';
import { itEachShared } from '../../support/shared.js';

/** Rows of each trace. */
const ROWS: Readonly<Record<string, number>> = {
  h100_bert_small: 1,
  h100_vit: 1,
  h100_qwen: 1,
  h100_owlv2: 1,
  mi300_bert_small: 1,
  mi300_norm_layers_training: 30,
  mi300_resnet_training: 21,
  b200_rank0of8: 3,
  'graphs/sglang_decode.capture': 1,
  'graphs/vllm_decode.capture': 1,
};

/** A device's row of an annotation, times in Unix ns. */
interface Row {
  readonly key: string;
  readonly start: bigint;
  readonly end: bigint;
}

const isWork = (record: ProfileLine) => record.type === 'kernel' || record.type === 'copy' || record.type === 'set';

/** Annotations, and NCCL's own, whose kind is that of an op. */
const isAnnotation = (record: ProfileLine): record is RangeRecord =>
  record.type === 'range' && (record.kind === 'annotation' || record.text.startsWith('nccl:'));

/** The annotation of a thread that is open at a time and began last; of two that began together, the shorter. */
function innermost(annotations: readonly RangeRecord[], tid: number | null, time: number): RangeRecord | null {
  let found: RangeRecord | null = null;
  for (const one of annotations) {
    if (one.tid !== tid || time < one.start || time > one.start + one.dur) continue;
    if (found === null || one.start > found.start || (one.start === found.start && one.dur < found.dur)) found = one;
  }
  return found;
}

function rowsOfRecords(records: readonly ProfileLine[]): Row[] {
  const [header] = records;
  const zero = BigInt((header?.type === 'profile' ? header.startUnixNs : null) ?? 0);
  const annotations = records.filter(isAnnotation);
  const works = new Map<string, { key: string; start: number; end: number }>();
  for (const record of records) {
    if (!isWork(record) || record.launch === null || record.launch === undefined || record.dur === null) continue;
    const { device, stream, tid = null, start, dur } = record;
    const annotation = innermost(annotations, tid, record.launch.start);
    if (annotation === null) continue;
    const key = `${annotation.text} ${device} ${stream}`;
    const row = entryOf(works, `${key} ${annotation.start}`, () => ({ key, start: Infinity, end: -Infinity }));
    row.start = Math.min(row.start, start);
    row.end = Math.max(row.end, start + dur);
  }
  const unix = (time: number): bigint => zero + BigInt(Math.round(time));
  return [...works.values()].map(({ key, start, end }) => ({ key, start: unix(start), end: unix(end) }));
}

const rowsOfTrace = (trace: RawTrace): Row[] =>
  trace.traceEvents
    .filter(({ cat }) => cat === 'gpu_user_annotation')
    .map(({ name, pid, tid, ts, dur = 0 }) => {
      const start = unixNs(trace, ts);
      return { key: `${name} ${pid} ${tid}`, start, end: start + BigInt(Math.round(dur * 1000)) };
    });

/** Times of the JSON are numbers of µs, exact to about a nanosecond. */
const isNear = (a: bigint, b: bigint): boolean => a - b <= 1n && b - a <= 1n;

/** One of whole requests; the others are of many annotations, of NCCL's own, or of a compiled program. */
const SAMPLED = ['h100_vit', 'mi300_norm_layers_training', 'mi300_resnet_training', 'b200_rank0of8'];

describe("a trace's own rows of annotations on the device", () => {
  itEachShared(
    SAMPLED.map(fileOf),
    Object.keys(ROWS)
      .filter((trace) => !SAMPLED.includes(trace))
      .map(fileOf),
    (file) => `follow from the records: ${traceOf(file)}`,
    async (path, file) => {
      const trace = traceOf(file);
      const { source } = await openProfile(path);
      const found = rowsOfRecords([...readProfile(source.path, { profile: 0, name: source.name, ranges: true })]);
      source.dispose();
      const rows = rowsOfTrace(rawTraceOf(trace));
      expect(rows).to.have.length(ROWS[trace] ?? NaN);
      const missing = rows.filter(
        ({ key, start, end }) =>
          !found.some((one) => one.key === key && isNear(one.start, start + 1n) && isNear(one.end, end - 1n)),
      );
      expect(missing.map(({ key }) => key)).to.deep.equal([]);
    },
  );
});
