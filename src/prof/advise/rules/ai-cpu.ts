/** Ascend: ops that run on the processors beside the cores. */
import { isOnCoreClass } from '../../../record/neuron/neuron-cores.js';
import { many, ranked, time } from '../wording.js';
import { deviceRule } from '../rule.js';
import { KernelTally } from '../kernel-tally.js';

export const aiCpu = deviceRule({
  name: 'ai-cpu',
  doc: 'Ascend: ops on the AI CPU, not on the cores',
  why: 'no kernel has the class of cores that it ran on (Ascend)',
  start: () => new KernelTally(),
  row: ({ record }, devices) => {
    if (!isOnCoreClass(record)) return false;
    const { engine, dur, labels, short } = record;
    if (engine === 'AI_CPU' && dur !== null && Number.isFinite(dur)) {
      devices.of(record).add(record, String(labels?.['opType'] ?? short), dur);
    }
    return true;
  },
  findings: (of) => [
    {
      what: `${many(of.count, 'op')} on the AI CPU, ${time(of.time)}: ${ranked(of.names)}`,
      action: 'use other element types or ops that have an operator for the cores (often int64 or float64 has none)',
      ...of.facts,
      see: "dprof --where 'engine==AI_CPU' --by op,kernel -f table FILE",
    },
  ],
});
