/**
 * Trials: a library that chooses an algorithm by measuring (cuDNN's benchmark mode, autotuning) runs one product after
 * the other for one call, and then that which it chose. The work of the op is done once, by the last.
 *
 * The rule: where a call of one product launched products of three names or more, the name of the last one is the one
 * chosen, and all before its run are trials. The chosen one was tried too: where no launch of it lies before that of
 * another name, the first half of its launches are trials. Two names are no trial: an op may have a second product.
 */
import { largest } from '../../containers/lists.js';
import { elementAt } from '../../containers/element.js';
import type { Work } from '../../ops/family.js';
import { isNamedProduct, partsOf, type CallKernel } from './call-kernel.js';

/** Names of products in one call from which on they are trials. */
const FEWEST_NAMES = 3;

const ROLES = ['main', 'dgrad', 'wgrad'] as const;

/** Indices of the trials among the kernels of one call, which are in order of start. */
export function trialsAmong(members: readonly CallKernel[]): ReadonlySet<number> {
  const trials = new Set<number>();
  if (members.length < FEWEST_NAMES) return trials;
  for (const role of ROLES) {
    const products = members.flatMap((member, i) => (isOneProduct(member, role) ? [i] : []));
    for (const i of triedOf(products, members)) trials.add(i);
  }
  const isSingle = members.every((member) => partsOf(member) === null);
  // What prepares a trial is part of it; of the gradients of a convolution it is not known which it prepares.
  if (isSingle) for (let i = largest(trials, -1); i >= 0; i--) trials.add(i);
  return trials;
}

function isOneProduct(member: CallKernel, role: Work['role']): boolean {
  const { work, whole } = member.described;
  if (work.role !== role || !whole.matmul || whole.severalProducts === true || whole.flops === null) return false;
  return isNamedProduct(member);
}

function triedOf(products: readonly number[], members: readonly CallKernel[]): readonly number[] {
  const names = products.map((i) => elementAt(members, i).record.name);
  if (new Set(names).size < FEWEST_NAMES) return [];
  const chosen = names.at(-1);
  const others = names.findLastIndex((name) => name !== chosen) + 1;
  const launches = names.length - others;
  const wasTried = names.indexOf(chosen ?? '') < others;
  return products.slice(0, wasTried ? others : others + Math.floor(launches / 2));
}

/** The work of a trial: none of the op's. */
export const workOfTrial = (work: Work): Work => ({
  ...work,
  role: 'trial',
  flops: 0,
  bytes: 0,
  formula: '0: a trial; the work of the op is given to the kernel that was chosen',
});
