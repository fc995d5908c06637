/** Rates that no device reaches: what we counted is wrong, or the peak of our table, or the device is another one. */
import { many, ranked, time } from '../wording.js';
import { deviceRule } from '../rule.js';
import { KernelTally } from '../kernel-tally.js';

class Above extends KernelTally {
  compute = 0;
  memory = 0;
  device = '';
}

export const impossible = deviceRule({
  name: 'impossible',
  doc: 'kernels above a peak rate: our counting or our table of peaks is wrong, or the device is another one',
  why: 'no kernel with known work on a device with known peaks',
  start: () => new Above(),
  row: ({ placement, record, peaks, op }, devices) => {
    if (record.dur === null || (placement.computeShare === null && placement.memoryShare === null)) return false;
    const { compute, memory } = placement.above;
    if (!compute && !memory) return true;
    const above = devices.of(record);
    if (compute) above.compute++;
    if (memory) above.memory++;
    above.device = peaks.name;
    above.add(record, op ?? record.short, record.dur);
    return true;
  },
  findings: (of) => [
    {
      what: `${many(of.count, 'kernel')}, ${time(of.time)}, above the peaks of ${of.device} (FLOP/s: ${of.compute}, bytes/s: ${of.memory}): ${ranked(of.names)}`,
      action:
        'no device does that: doubt our FLOPs and bytes of these ops (--explain shows the formulas) and our peaks (--device sets others); if both are right, report it',
      ...of.facts,
      evidence: { ...of.facts.evidence, aboveComputePeak: of.compute, aboveMemoryPeak: of.memory },
      see: 'dprof --sort peak --top 20 -c idx,op,kernel,sil,peak,bw,params -f table FILE',
    },
  ],
});
