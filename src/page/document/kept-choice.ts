/** Choices that the address keeps, so that a shared link shows what was chosen; among them that of a device. */
import { select } from './dom-elements.js';
import { readFragment, withName } from './fragment.js';
import type { PageProfile } from '../../prof/html/page-data.js';

/** @returns the value of the address; the first where it has none, or none of these */
export function keptChoice<Value extends string | number>(name: string, values: readonly Value[], first: Value): Value {
  const kept = readFragment(location.hash).get(name);
  return values.find((value) => String(value) === kept) ?? first;
}

/** Writes a name of the address, in place of the entry that the browser's Back leads to. @param value null removes it */
export function keepName(name: string, value: string | null): void {
  const fragment = withName(location.hash, name, value);
  history.replaceState(history.state, '', fragment === '' ? `${location.pathname}${location.search}` : `#${fragment}`);
}

/** @param first what the address needs no word for */
export const keepChoice = <Value extends string | number>(name: string, value: Value, first: Value): void =>
  keepName(name, value === first ? null : String(value));

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

/** As the profile has it; null where it does not. */
export const deviceName = ({ overview: { header, devices } }: PageProfile, device: number): string | null =>
  header?.devices.find(({ id }) => id === device)?.name ?? devices.find((one) => one.device === device)?.name ?? null;

/** `0 · NVIDIA H100`: pages may have devices of several kinds. */
const deviceText = (profile: PageProfile, device: number): string => {
  const name = deviceName(profile, device);
  return name === null ? String(device) : `${device} · ${name}`;
};

/**
 * Shows a device, and the choice of another where there are several.
 * @param name of the choice in the address
 */
export function devicePicker(
  profile: PageProfile,
  name: string,
  devices: readonly number[],
  show: (device: number) => void,
): HTMLElement[] {
  const [first] = devices;
  if (first === undefined) return [];
  const choices = devices.map((device) => [device, deviceText(profile, device)] as const);
  const box = keptSelect('Device', name, choices, first, show);
  return devices.length > 1 ? [box] : [];
}
