/** Real PyTorch traces from 2021 to today, NVIDIA and AMD: their records against their own JSON, read a second way. */
import { expect } from 'chai';
import type { KernelRecord, OpCall, ProfileLine } from '../../src/record/record.js';
import {
  correlationOf,
  CPU_ONLY,
  externalIdOf,
  fileOf,
  groupBy,
  isCall,
  isCopy,
  isKernel,
  isOp,
  isSet,
  isSync,
  ofType,
  opsAround,
  rawTraceOf,
  recordsOf,
  TRACES,
  unixNs,
  type RawEvent,
  type RawTrace,
} from '../support/kineto.js';
import { itShared } from '../support/shared.js';

/** What the JSON of a trace holds. */
interface Held {
  readonly kernels: number;
  readonly copies: number;
  readonly sets: number;
  readonly syncs: number;
  /** Kernels, copies and memsets whose launch is not in the trace. */
  readonly orphans: number;
  /** Kernels with the external id of an op. */
  readonly withOp: number;
  /**
   * Kernels of the backward pass, and those of them around whose launch an op has a sequence number. Not those that
   * checkpoints compute again in between (in a frame `recompute_fn`): 591 of mi300_resnet_training.
   */
  readonly backward: number;
  readonly sequenced: number;
}

const held = (...[kernels, copies, sets, syncs, orphans, withOp, backward, sequenced]: EightNumbers): Held => ({
  ...{ kernels, copies, sets, syncs, orphans, withOp, backward, sequenced },
});
type EightNumbers = [number, number, number, number, number, number, number, number];

// prettier-ignore
const HELD: Readonly<Record<string, Held>> = {
  //                             kernels copies sets syncs orphans withOp backward sequenced
  h100_bert_small:           held(    60,    1,    0,    0,      0,    60,       0,        0),
  h100_vit:                  held(   154,    0,    2,    0,      0,   154,       0,        0),
  h100_qwen:                 held(  1465,    1,  241,    0,    509,  1029,       0,        0),
  h100_owlv2:                held(  4330,   85,  750,    0,      0,  4330,       0,        0),
  b200_rank0of8:             held(   768,  161,    0,    0,      0,   766,       0,        0),
  mi300_bert_small:          held(    60,    1,    0,    0,      0,    60,       0,        0),
  mi300_resnet_training:     held(  2995,  550,  108,    0,    968,  2238,     993,      801),
  mi300_norm_layers_training:held(   168,    0,    5,    0,      0,   168,      87,       69),
  mi210_gpu_only:            held(   562,    0,    0,    0,      0,     0,       0,        0),
  mi300_hipgraph_decode:     held(   555,    3,    0,    0,      0,     8,       0,        0),
  a100_rank3of8_training:    held(  8568,  228,  654,    0,      0,     0,    5550,     3990),
  a100_alexnet_seq:          held(    79,   16,    3,   41,      0,     0,       0,        0),
  a100_nccl_metadata:        held(  2700,  960,  114,    0,      0,  2700,    1776,     1278),
  v100_resnet50_2021:        held(  8772,   12,  312,    0,      0,  8772,    3126,     2160),
  [CPU_ONLY]:                held(     0,    0,    0,    0,      0,     0,       0,        0),
};

/** A trace's JSON, and the same trace's records. */
interface Both {
  readonly raw: RawTrace;
  readonly events: readonly RawEvent[];
  readonly records: readonly ProfileLine[];
  readonly kernels: readonly KernelRecord[];
  /** Calls by the correlation of what they launched. */
  readonly calls: ReadonlyMap<unknown, readonly RawEvent[]>;
  readonly around: ReadonlyMap<RawEvent, readonly RawEvent[]>;
  /** Time of the profile, ns, of a time in the JSON. */
  readonly at: (ts: number) => number;
}

async function readBoth(trace: string): Promise<Both> {
  const raw = rawTraceOf(trace);
  const events = raw.traceEvents;
  const records = await recordsOf(trace);
  const start = BigInt(ofType(records, 'profile')[0]?.startUnixNs ?? 0);
  return {
    ...{ raw, events, records },
    kernels: ofType(records, 'kernel'),
    calls: groupBy(events.filter(isCall), correlationOf),
    around: opsAround(raw),
    at: (ts) => Number(unixNs(raw, ts) - start),
  };
}

/** Ops around the launch of a kernel, outermost first. */
const opsOf = ({ calls, around }: Both, { corr }: KernelRecord): readonly RawEvent[] =>
  (calls.get(corr) ?? []).flatMap((call) => around.get(call) ?? []);

/** Nodes of the backward pass are no calls. */
const isNode = ({ name }: RawEvent): boolean => /^(autograd::engine::|torch::autograd::)|Backward\d*$/.test(name);

/** `aten::mm` → `mm`: a call without a module of its own may be given one. */
const opName = (name: string): string => name.replace(/^[^:]+::(?=.)/, '');

/** Nodes of functions that the program defines, which are calls where they launch kernels themselves. */
const isDefinedNode = ({ mod, op }: OpCall): boolean => mod === 'autograd' && op.endsWith('Backward');

/** The innermost call, but for a collective's range in the op that reports it. */
function innermostOf({ calls }: KernelRecord): string {
  const names = calls.filter((call) => !isDefinedNode(call)).map(({ op }) => op);
  const inner = names.at(-1) ?? '';
  return names.at(-2) === 'record_param_comms' && inner.startsWith('nccl:') ? 'record_param_comms' : inner;
}

const isBackwardNode = ({ args }: RawEvent): boolean => Number(args?.['Fwd thread id'] ?? 0) > 0;

for (const trace of [...TRACES, CPU_ONLY]) {
  const expected = HELD[trace] ?? held(0, 0, 0, 0, 0, 0, 0, 0);

  describe(`trace ${trace}`, () => {
    let read: Promise<Both> | null = null;
    const both = (): Promise<Both> => (read ??= readBoth(trace));
    after(() => (read = null));

    itShared('has every device event once, and their launches', [fileOf(trace)], async () => {
      const { events, records, kernels, calls } = await both();
      const work = events.filter((event) => isKernel(event) || isCopy(event) || isSet(event));
      const orphans = work.filter((event) => !calls.has(correlationOf(event)));
      const [copies, sets] = [ofType(records, 'copy'), ofType(records, 'set')];
      const found = [
        [kernels.length, events.filter(isKernel).length, expected.kernels],
        [copies.length, events.filter(isCopy).length, expected.copies],
        [sets.length, events.filter(isSet).length, expected.sets],
        [ofType(records, 'sync').length, events.filter(isSync).length, expected.syncs],
        [
          [...kernels, ...copies, ...sets].filter(({ launch }) => launch === null).length,
          orphans.length,
          expected.orphans,
        ],
      ];
      for (const [ours, theirs, known] of found) expect([ours, theirs]).to.deep.equal([known, known]);
    });

    itShared('has the time, stream, name and launch of every kernel', [fileOf(trace)], async () => {
      const { events, kernels, calls, at } = await both();
      const names = new Set(events.filter(isKernel).flatMap(({ name }) => (name.startsWith('_Z') ? [] : [name])));
      const plain = (name: string): string => (names.has(name) ? name : 'mangled');
      const inJson = events
        .filter(isKernel)
        .map(({ name, ts, dur = 0, args }) =>
          [at(ts), Math.round(dur * 1000), args?.['stream'], args?.['correlation'], plain(name)].join(' '),
        );
      const ours = kernels.map(({ name, start, dur, stream, corr }) =>
        [start, dur, stream, corr, plain(name.replaceAll(/\p{Cc}/gu, ' '))].join(' '),
      );
      expect(ours.toSorted()).to.deep.equal(inJson.toSorted());
      for (const { corr, launch } of kernels) {
        if (launch === null) continue;
        const starts = (calls.get(corr) ?? []).map(({ name, ts, dur = 0 }) =>
          [name, at(ts), Math.round(dur * 1000)].join(' '),
        );
        expect(starts).to.include([launch.api, launch.start, launch.dur].join(' '));
      }
    });

    itShared(
      'has as innermost call the op around the launch, which is that of the external id',
      [fileOf(trace)],
      async () => {
        const { events, kernels } = await both();
        for (const kernel of kernels.filter(({ launch }) => launch !== null)) {
          const op = opsOf(await both(), kernel).findLast((event) => !isNode(event));
          expect(innermostOf(kernel)).to.equal(opName(op?.name ?? ''));
        }
        const ops = groupBy(events.filter(isOp), externalIdOf);
        const ids = new Map(events.filter(isKernel).map((event) => [correlationOf(event), externalIdOf(event)]));
        // Some years repeat the correlation as external id: no op is meant by it.
        const areOps = [...ids].some(([corr, id]) => id !== undefined && id !== corr);
        const withOp = areOps ? kernels.filter(({ corr }) => ops.has(ids.get(corr))) : [];
        expect(withOp).to.have.length(expected.withOp);
        for (const kernel of withOp)
          expect(innermostOf(kernel)).to.equal(opName(ops.get(ids.get(kernel.corr))?.[0]?.name ?? ''));
      },
    );

    itShared('has the forward op of every backward kernel with a sequence number', [fileOf(trace)], async () => {
      const all = await both();
      const { events, kernels, at } = all;
      const forwardOps = groupBy(
        events.filter((event) => isOp(event) && !isBackwardNode(event)),
        ({ args }) => args?.['Sequence number'],
      );
      const backward = kernels.filter(({ dir }) => dir === 'bprop');
      const sequenced = backward.filter((kernel) => opsOf(all, kernel).some(isBackwardNode));
      expect([backward.length, sequenced.length]).to.deep.equal([expected.backward, expected.sequenced]);
      const again = kernels.filter((kernel) => kernel.dir === 'fprop' && opsOf(all, kernel).some(isBackwardNode));
      expect(again).to.have.length(trace === 'mi300_resnet_training' ? 591 : 0);
      for (const { forward, seq, launch } of sequenced) {
        const named = (forwardOps.get(seq[0]) ?? []).filter(
          ({ ts, tid }) => at(ts) === forward?.start && Number(tid) === forward.tid,
        );
        expect(named.map(({ name }) => opName(name))).to.include(forward?.op);
        expect(forward?.start).to.be.below(launch?.start ?? 0);
      }
      // The rest accumulates gradients, or belongs to hooks of a gradient's accumulation: these nodes have no number.
      for (const kernel of backward.filter((one) => !sequenced.includes(one))) {
        expect(kernel.forward ?? null).to.equal(null);
        expect(opsOf(all, kernel)[0]?.name).to.match(
          /^(autograd::engine::evaluate_function: )?torch::autograd::AccumulateGrad$/,
        );
      }
    });
  });
}

describe('arrows from forward to backward ops', () => {
  for (const trace of ['mi300_resnet_training', 'mi300_norm_layers_training', 'a100_nccl_metadata']) {
    itShared(`of ${trace} say the same forward ops`, [fileOf(trace)], async () => {
      const { raw, events, kernels, at } = await readBoth(trace);
      const opsAt = groupBy(events.filter(isOp), ({ tid, ts }) => `${tid} ${ts}`);
      const arrows = groupBy(
        raw.traceEvents.filter(({ cat }) => cat === 'fwdbwd'),
        ({ id }) => id,
      );
      /** By sequence number of the op at the arrow's head, thread and start of its tail. */
      const tails = new Map<unknown, string>();
      for (const [, ends] of arrows) {
        const [tail, head] = ['s', 'f'].map((ph) => ends.find((event) => event.ph === ph));
        const node = opsAt.get(`${head?.tid} ${head?.ts}`)?.find(isBackwardNode);
        if (tail !== undefined) tails.set(node?.args?.['Sequence number'], `${tail.tid} ${at(tail.ts)}`);
      }
      expect(tails.size).to.equal(arrows.size);
      const paired = kernels.flatMap(({ forward, seq }) => (forward ? [{ forward, seq }] : []));
      expect(paired).to.have.length(HELD[trace]?.sequenced ?? NaN);
      for (const { forward, seq } of paired) expect(`${forward.tid} ${forward.start}`).to.equal(tails.get(seq[0]));
    });
  }
});
