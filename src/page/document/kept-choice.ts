/** Choices that the address keeps, so that a shared link shows what was chosen. */
import { select } from './dom-elements.js';
import { readFragment, withName } from './fragment.js';

/** @returns the value of the address; the first where it has none, or none of these */
export function keptChoice<Value extends string | number>(name: string, values: readonly Value[], first: Value): Value {
  const kept = readFragment(location.hash).get(name);
  return values.find((value) => String(value) === kept) ?? first;
}

/** @param first what the address needs no word for */
export function keepChoice<Value extends string | number>(name: string, value: Value, first: Value): void {
  const fragment = withName(location.hash, name, value === first ? null : String(value));
  history.replaceState(history.state, '', fragment === '' ? `${location.pathname}${location.search}` : `#${fragment}`);
}

/**
 * A box that keeps its choice, and shows it now and when it changes.
 * @param name in the address
 * @param first chosen where the address has none
 */
export function keptSelect<Value extends string | number>(
  label: string,
  name: string,
  choices: readonly (readonly [value: Value, label: string])[],
  first: Value,
  show: (value: Value) => void,
): HTMLElement {
  const values = choices.map(([value]) => value);
  const chosen = keptChoice(name, values, first);
  show(chosen);
  return select(label, choices, chosen, (value) => {
    keepChoice(name, value, first);
    show(value);
  });
}
