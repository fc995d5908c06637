/** What bounds kernels, by the values of the column `bound`, in the words of people. */
import type { LayerReason } from '../../prof/html/page-data.js';
import { quantityText } from '../document/units.js';

type RooflineBound = NonNullable<LayerReason['bound']>;

const NAMES: Readonly<Record<RooflineBound, string>> = {
  compute: 'compute',
  memory: 'memory',
  latency: 'latency (too small)',
};

/** A share that needs no number. */
const ALMOST_ALL = 0.995;

/** @param share of the time that it bounds; null where that is not known */
export const boundText = (bound: RooflineBound, share: number | null): string =>
  share !== null && share > ALMOST_ALL ? NAMES[bound] : `${NAMES[bound]} ${quantityText(share, 'share')}`;

export const ABOUT_BOUNDS =
  'Bound by latency: below 10 % of the peaks of both compute and memory, since a kernel is too small to fill the device; ' +
  'many of them in a row are launch-bound.';
