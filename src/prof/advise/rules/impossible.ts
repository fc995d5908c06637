/** Rates that no device reaches: what we counted is wrong, or the peak of our table, or the device is another one. */
import { ByDevice } from '../by-device.js';
import { Longest, Ranking } from '../longest.js';
import type { RuleAnswer, Rule } from '../rule.js';
import { counted, ranked, time } from '../amount-text.js';

class Above {
  count = 0;
  stake = 0;
  compute = 0;
  memory = 0;
  device = '';
  readonly ops = new Ranking();
  readonly longest = new Longest();
}

export const impossible: Rule = {
  name: 'impossible',
  doc: 'kernels above a peak rate: our counting or our table of peaks is wrong, or the device is another one',
  watch: () => {
    const devices = new ByDevice(() => new Above());
    let looked = 0;
    return {
      row: (row) => {
        const { placement, record } = row;
        if (record.dur === null || (placement.computeShare === null && placement.memoryShare === null)) return;
        looked++;
        const { compute, memory } = placement.above;
        if (!compute && !memory) return;
        const above = devices.of(record);
        above.count++;
        above.stake += record.dur;
        if (compute) above.compute++;
        if (memory) above.memory++;
        above.device = row.peaks.name;
        above.ops.add(row.op ?? record.short, record.dur);
        above.longest.add(record);
      },
      end: (): RuleAnswer => ({
        found: devices.all.map(({ profile, device, of }) => ({
          profile,
          device,
          what: `${counted(of.count, 'kernel')}, ${time(of.stake)}, above the peaks of ${of.device} (FLOP/s: ${of.compute}, bytes/s: ${of.memory}): ${ranked(of.ops)}`,
          action:
            'no device does that: doubt our FLOPs and bytes of these ops (--explain shows the formulas) and our peaks (--device sets others); if both are right, report it',
          stake: of.stake,
          gain: null,
          kernels: of.longest.ids,
          count: of.count,
          evidence: { kernels: of.count, timeNs: of.stake, aboveComputePeak: of.compute, aboveMemoryPeak: of.memory },
          see: 'dprof --sort peak --top 20 -c idx,op,kernel,sil,peak,bw,params -f table FILE',
        })),
        ...(looked === 0 ? { why: 'no kernel with known work on a device with known peaks' } : undefined),
      }),
    };
  },
};
