/** A decimal number as people and tools write it: `7`, `-0.5`, `2.`, `.5`, `1e-9`. */
const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

/** Whether a text is a decimal number and nothing else. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);
