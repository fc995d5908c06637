/**
 * communication.json: by step and kind, `hcom_allReduce__586_0_1@17522688603477080586` (operation and group) with times,
 * and what went over each kind of link.
 */
import type { ActivityDetails } from '../../../capture/capture.js';
import { commonLink } from '../device-kinds.js';
import { member, membersOf } from './sidecar-json.js';

export interface CommunicationFacts {
  readonly group: string | null;
  readonly link: string | null;
  /** Times and ratios, by the tool's names; null where several operations differ. */
  readonly times: Readonly<Record<string, number>> | null;
}

/** Transports of messages; `SDMA` is what moves them, whatever they go over. */
const MOVER = 'SDMA';

/** Facts by the name of the operation; of a name that stands for several, what is the same of all. */
export function readCommunication(json: unknown): Map<string, CommunicationFacts> {
  const facts = new Map<string, CommunicationFacts>();
  for (const [, kinds] of membersOf(json)) {
    for (const [, operations] of membersOf(kinds)) {
      for (const [key, operation] of membersOf(operations)) {
        const [name = '', group] = key.split('@');
        if (name === '' || group === undefined) continue;
        const link = linkOf(member(operation, 'Communication Bandwidth Info'));
        const found = { group, link, times: timesIn(member(operation, 'Communication Time Info')) };
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

/** All but the start, which the operation itself tells. */
function timesIn(info: unknown): Record<string, number> | null {
  const told = membersOf(info).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !entry[0].startsWith('Start'),
  );
  return told.length === 0 ? null : Object.fromEntries(told);
}

/** What a collective measured. */
export const timesOf = (facts: CommunicationFacts | undefined): ActivityDetails | null =>
  facts === undefined || facts.times === null ? null : { counters: facts.times };

function linkOf(bandwidth: unknown): string | null {
  const used = membersOf(bandwidth).filter(([, facts]) => Number(member(facts, 'Transit Size(MB)')) > 0);
  return commonLink(used.map(([link]) => link).filter((link) => link !== MOVER));
}
