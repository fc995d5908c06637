/** Attributes of a collective operation, from its event and from communication.json. */
import type { CollectiveOperation } from '../../../capture/capture.js';
import { collectiveKind, collectiveType } from '../device-kinds.js';
import type { TracedOperation } from './collective-parts.js';
import type { CommunicationFacts } from './communication-file.js';

/** `hcom_allReduce__586_0_1`: last digits of the group's number, and the operation's number in the group. */
const GROUP = /__(\d+)_\d+_\d+$/;

/** @param link interconnect by the operation's parts */
export function collectiveOperation(
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
    algorithm: algorithm === '' || algorithm === 'N/A' ? null : algorithm,
    link: facts?.link ?? link,
  };
}
