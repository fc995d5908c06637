/** Kernels that a library ran to choose an algorithm: work of the first steps, not of training. */
import { many, ranked, time } from '../wording.js';
import { deviceRule } from '../rule.js';
import { KernelTally } from '../kernel-tally.js';

export const autotuning = deviceRule({
  name: 'autotuning',
  doc: 'kernels that a library ran to choose an algorithm, within what was measured',
  why: 'no kernels of known ops',
  start: () => new KernelTally(),
  row: (row, devices) => {
    const { record, role, op } = row;
    if (record.dur === null || role === null) return false;
    if (role === 'trial') devices.of(record).add(record, op ?? record.short, record.dur);
    return true;
  },
  findings: (of) =>
    of.count === 0
      ? []
      : [
          {
            what: `${many(of.count, 'kernel')}, ${time(of.time)}, ran to choose an algorithm: ${ranked(of.names)}`,
            action:
              'start the profiler after the steps in which libraries choose (torch.profiler.schedule with wait and warmup): later steps do without',
            ...of.facts,
            see: "dprof --where 'role==trial' --by op,kernel -f table FILE",
          },
        ],
});
