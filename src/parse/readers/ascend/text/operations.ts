/** What a collective operation is, from its event and from communication.json. */
import type { CollectiveOperation } from '../../../capture/capture.js';
import { collectiveKind, collectiveType } from '../device-kinds.js';
import type { TracedOperation } from './collective-parts.js';
import type { CommunicationFacts } from './communication-file.js';

/** `hcom_allReduce__586_0_1`: the end of the group's number, the operation's number in it. */
const GROUP = /__(\d+)_\d+_\d+$/;

/** @param link what the message went over, as its parts tell it */
export function operationOf(
  { name, dataType, algorithm, count }: TracedOperation,
  link: string | null = null,
  facts?: CommunicationFacts,
): CollectiveOperation {
  const type = collectiveType(dataType);
  return {
    name,
    kind: collectiveKind(name),
    bytes: type === null || count === null ? null : count * type.bytes,
    dtype: type?.dtype ?? null,
    group: facts?.group ?? GROUP.exec(name)?.[1] ?? null,
    groupSize: null,
    ranks: null,
    algorithm: algorithm === null || algorithm === '' || algorithm === 'N/A' ? null : algorithm,
    link: facts?.link ?? link,
  };
}
