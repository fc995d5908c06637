/** The device waits while Python collects garbage. */
import { many, time } from '../wording.js';
import type { Rule, RuleAnswer } from '../rule.js';

export const garbageCollection: Rule = {
  name: 'garbage-collection',
  doc: "idle while Python collects garbage, where the profile has its collections (Ascend's gc_detect_threshold)",
  watch: () => ({
    end: ({ host, idle }): RuleAnswer => {
      const isRecorded = host.all.some(({ profile }) => host.collecting.sumOf(profile).count > 0);
      if (!isRecorded) return { found: [], why: 'no collections of garbage in the profile' };
      return {
        why: idle.why,
        found: idle.all
          .filter(({ of }) => of.collecting > 0)
          .map(({ of, ...place }) => {
            const { count, time: ns } = host.collecting.sumOf(place.profile);
            return {
              ...place,
              what: `idle ${time(of.collecting)} while garbage is collected: ${many(count, 'collection')} of ${time(ns)} together`,
              action: 'gc.freeze() after the first steps; or gc.disable() and gc.collect() where the device has work',
              stake: of.collecting,
              gain: { ns: of.collecting, how: 'sum of the idle time within collections', isBound: true },
              kernels: [],
              count,
              evidence: { collections: count, collectionsNs: ns, idleNs: of.collecting },
              // A row GC, also where FILE is records.
              see: 'dprof --by range -f table FILE',
            };
          }),
      };
    },
  }),
};
