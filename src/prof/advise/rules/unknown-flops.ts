/** Kernels whose op and arguments are known, but not its FLOPs: what rates, MFU and the roofline leave out, and why. */
import { isNeuronInstruction } from '../../../record/neuron/neuron-cores.js';
import { asksForArguments } from '../../work/capture-options.js';
import { communicates } from '../../steps/step-work.js';
import { many, percent, ranked, time } from '../wording.js';
import { deviceRule } from '../rule.js';
import { KernelTally } from '../kernel-tally.js';
import { Ranking } from '../longest.js';

/** Share of the kernels' time. */
const LEAST_SHARE = 0.1;

class Kernels {
  time = 0;
  readonly unknown = new KernelTally();
  readonly reasons = new Ranking();
}

export const unknownFlops = deviceRule({
  name: 'unknown-flops',
  doc: 'kernels whose op is known, with its arguments, but not its FLOPs: what MFU and rates leave out, and why',
  why: 'no kernel with an op',
  start: () => new Kernels(),
  row: (row, devices) => {
    const { record, op, flops, reason } = row;
    const { dur } = record;
    if (dur === null || !Number.isFinite(dur) || isNeuronInstruction(record) || communicates(record)) return false;
    const kernels = devices.of(record);
    kernels.time += dur;
    if (op === null) return false;
    // Those without arguments are said by another rule, with what to record.
    if (flops !== null || reason === null || asksForArguments(reason)) return true;
    kernels.unknown.add(record, op, dur);
    kernels.reasons.add(reason, dur);
    return true;
  },
  findings: ({ time: all, unknown, reasons }) => {
    const { count, time: ns, names, facts } = unknown;
    if (ns <= LEAST_SHARE * all) return [];
    const [[reason] = ['']] = reasons.top(1);
    return [
      {
        what: `of ${many(count, 'kernel')}, ${time(ns)} (${percent(ns / all)} of the kernels' time), the FLOPs are not known: ${ranked(names)}`,
        details: `mostly ${reason}`,
        action:
          'read MFU and rates as those of the other kernels; where you know what such an op computes, add its formula (CONTRIBUTING, "Add an op"), or report it with its arguments',
        ...facts,
        evidence: { ...facts.evidence, kernelNs: all },
        see: "dprof --where 'op!=na && flops==na' --by op,params -f table FILE",
      },
    ];
  },
});
