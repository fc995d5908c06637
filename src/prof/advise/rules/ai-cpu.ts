/** Ascend: ops that run on the processors beside the cores. */
import { isOnCoreClass } from '../../../record/engines.js';
import { ByDevice } from '../by-device.js';
import { Longest, Ranking } from '../longest.js';
import type { RuleAnswer, Rule } from '../rule.js';
import { counted, ranked, time } from '../amount-text.js';

class Slow {
  count = 0;
  stake = 0;
  readonly names = new Ranking();
  readonly longest = new Longest();
}

export const aiCpu: Rule = {
  name: 'ai-cpu',
  doc: 'Ascend: ops on the AI CPU, not on the cores',
  watch: () => {
    const devices = new ByDevice(() => new Slow());
    let looked = 0;
    return {
      take: (record) => {
        if (record.type !== 'kernel' || !isOnCoreClass(record)) return;
        looked++;
        if (record.engine !== 'AI_CPU' || record.dur === null || !Number.isFinite(record.dur)) return;
        const slow = devices.of(record);
        slow.count++;
        slow.stake += record.dur;
        slow.names.add(String(record.labels?.['opType'] ?? record.short), record.dur);
        slow.longest.add(record);
      },
      end: (): RuleAnswer => ({
        found: devices.all.map(({ profile, device, of }) => ({
          profile,
          device,
          what: `${counted(of.count, 'op')} on the AI CPU, ${time(of.stake)}: ${ranked(of.names)}`,
          action:
            'use other element types or ops that have an operator for the cores (often int64 or float64 has none)',
          stake: of.stake,
          gain: null,
          kernels: of.longest.ids,
          count: of.count,
          evidence: { kernels: of.count, timeNs: of.stake },
          see: "dprof --where 'engine==AI_CPU' --by op,kernel -f table FILE",
        })),
        ...(looked === 0 ? { why: 'no kernel has the class of cores that it ran on (Ascend)' } : undefined),
      }),
    };
  },
};
