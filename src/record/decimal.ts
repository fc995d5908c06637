/** A decimal number as people and tools write it: `7`, `-0.5`, `2.`, `.5`, `1e-9`. */
const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

/** Whether a text is a decimal number and nothing else. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/**
 * A percentage as a fraction of 1, by its decimal digits: 0.57 % is 0.0057, which no division of binary numbers gives.
 */
export function fractionOf(percent: number): number {
  const [digits = '', exponent = '0'] = String(percent).split('e');
  return Number(`${digits}e${Number(exponent) - 2}`);
}
