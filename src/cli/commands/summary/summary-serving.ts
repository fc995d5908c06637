/** The section on steps of servers of language models. */
import type { PhaseSummary } from '../../../prof/steps/serving/serving-summary.js';
import { rounded, UNKNOWN } from '../../../record/units.js';
import { grouped, many } from '../../../record/plural.js';
import { plain, share, type About, type Section } from './summary-section.js';

export function servingSections({ overview: { steps }, unit, next }: About): Section[] {
  const serving = steps?.serving ?? [];
  if (serving.length === 0) return [];
  const rows = serving.flatMap((phase) => [[paceOf(phase, unit)], [amountsOf(phase)], [sharesOf(phase)]]);
  return [{ ...plain("Serving, shares of the time of the steps' kernels", next('steps')), head: [''], rows }];
}

/** `decode: 12 steps of 30 to 32 requests, 2986 tokens/s, 10.72 ms per output token` */
function paceOf({ phase, steps, batch, tokensPerS, timePerOutputToken }: PhaseSummary, unit: About['unit']): string {
  const requests = batch === null ? '' : ` of ${requestsText(batch)}`;
  const wait = timePerOutputToken === null ? '' : `, ${unit.text(timePerOutputToken)} per output token`;
  const rate = tokensPerS === null ? UNKNOWN : rounded(tokensPerS);
  return `${phase ?? 'phase unknown'}: ${many(steps, 'step')}${requests}, ${rate} tokens/s${wait}`;
}

const requestsText = ({ min, max }: NonNullable<PhaseSummary['batch']>): string =>
  min === max ? many(max, 'request') : `${grouped(min)} to ${many(max, 'request')}`;

/** `  tokens: 15,360 of contexts, 32 generated; device idle 0.4 % of the time` */
function amountsOf({ contextTokens, generationTokens, idle, deviceTime }: PhaseSummary): string {
  const amounts = [
    [contextTokens, 'of contexts'],
    [generationTokens, 'of generating requests'],
  ] as const;
  const texts = amounts
    .filter(([count]) => count !== 0)
    .map(([count, what]) => `${count === null ? UNKNOWN : grouped(count)} ${what}`);
  const rest = idle === null || deviceTime === null ? UNKNOWN : share(idle, deviceTime);
  return `  tokens: ${texts.join(', ')}; device idle ${rest} of the time`;
}

/** `  experts 71.8 %, projection 11.5 %` */
function sharesOf({ parts }: PhaseSummary): string {
  const times = Object.entries(parts).filter(([, time]) => time > 0);
  const all = times.reduce((sum, [, time]) => sum + time, 0);
  const texts = times.sort(([, a], [, b]) => b - a).map(([part, time]) => `${part} ${share(time, all)}`);
  return `  ${texts.join(', ')}`;
}
