/** Names of annotations: a range of the host and the contexts of the kernels that were launched in it have the same. */
import type { RangeRecord } from '../../../record/record.js';
import { readStepName } from '../../../record/step-name.js';
import { CALL_DETAILS } from './range-name.js';

/** Prefixes that readers remove from layer and range texts: the one of layers, and the autograd engine's for its nodes. */
const TEXT_PREFIX = /^(?:layer:|nn\.Module: |autograd::engine::evaluate_function: )/;

/** The text of a range as kernels have it in their contexts. */
export const contextText = ({ domain, text }: Pick<RangeRecord, 'domain' | 'text'>): string =>
  domain === null ? text.replace(TEXT_PREFIX, '') : `${domain}:${text}`;

/** What a text of a context is counted under: calls of one op are one annotation. So are names of steps but for their numbers. */
export const annotationOf = (text: string): string =>
  text.replace(readStepName(text) === null ? CALL_DETAILS : /\d+/g, '');

/** What a range of the host is counted under. */
export const annotationName = (range: Pick<RangeRecord, 'domain' | 'text'>): string => annotationOf(contextText(range));
