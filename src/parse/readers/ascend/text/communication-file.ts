/**
 * communication.json: by step and kind, operations named `hcom_allReduce__586_0_1@17522688603477080586` (operation and
 * group) with times, and the traffic on each kind of link.
 */
import type { ActivityDetails } from '../../../capture/capture.js';
import { entriesOf, fieldOf } from '../../../json/json-value.js';
import { commonLink } from '../device-kinds.js';

export interface CommunicationFacts {
  readonly group: string | null;
  readonly link: string | null;
  /** Times and ratios, by the tool's names; null where several operations differ. */
  readonly times: Readonly<Record<string, number>> | null;
}

/** Listed among the links, but the engine that moves messages over any link. */
const MOVER = 'SDMA';

/** Facts by the name of the operation; those that differ between several operations of one name are null. */
export function readCommunication(json: unknown): Map<string, CommunicationFacts> {
  const facts = new Map<string, CommunicationFacts>();
  for (const [, kinds] of entriesOf(json)) {
    for (const [, operations] of entriesOf(kinds)) {
      for (const [key, operation] of entriesOf(operations)) {
        const [name = '', group] = key.split('@');
        if (name === '' || group === undefined) continue;
        const link = linkOf(fieldOf(operation, 'Communication Bandwidth Info'));
        const found = { group, link, times: timesIn(fieldOf(operation, 'Communication Time Info')) };
        const known = facts.get(name);
        facts.set(name, known === undefined ? found : common(known, found));
      }
    }
  }
  return facts;
}

const common = (a: CommunicationFacts, b: CommunicationFacts): CommunicationFacts => ({
  group: a.group === b.group ? a.group : null,
  link: a.link === b.link ? a.link : null,
  times: null,
});

/** All times but the start, which the operation has. */
function timesIn(info: unknown): Record<string, number> | null {
  const times = entriesOf(info).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !entry[0].startsWith('Start'),
  );
  return times.length === 0 ? null : Object.fromEntries(times);
}

/** What a collective measured. */
export const timesOf = (facts: CommunicationFacts | undefined): ActivityDetails | null =>
  facts === undefined || facts.times === null ? null : { counters: facts.times };

function linkOf(bandwidth: unknown): string | null {
  const used = entriesOf(bandwidth).filter(([, facts]) => Number(fieldOf(facts, 'Transit Size(MB)')) > 0);
  return commonLink(used.map(([link]) => link).filter((link) => link !== MOVER));
}
