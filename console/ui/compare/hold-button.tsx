import type { Signal } from '@preact/signals';

/** Shows the image before while it is pressed, by pointer, Space or Enter. */
export function HoldButton({ isHeld, before, after }: { isHeld: Signal<boolean>; before: string; after: string }) {
  const hold = (is: boolean) => () => {
    isHeld.value = is;
  };
  const onKey = (is: boolean) => (event: KeyboardEvent) => {
    if (event.key !== ' ' && event.key !== 'Enter') return;
    event.preventDefault();
    isHeld.value = is;
  };
  return (
    <>
      <button
        type="button"
        aria-pressed={isHeld}
        onPointerDown={({ currentTarget, pointerId }) => {
          currentTarget.setPointerCapture(pointerId);
          isHeld.value = true;
        }}
        onPointerUp={hold(false)}
        onPointerCancel={hold(false)}
        onKeyDown={onKey(true)}
        onKeyUp={onKey(false)}
        onBlur={hold(false)}
        onContextMenu={(event) => event.preventDefault()}
        onClick={({ detail, currentTarget }) => {
          // Assistive technology cannot hold a button, it only clicks. So a click toggles.
          if (detail === 0 && !currentTarget.matches(':active')) isHeld.value = !isHeld.value;
        }}
      >
        Hold to see {before}
      </button>
      <span class="hidden" role="status">
        {isHeld.value ? before : after} is shown.
      </span>
    </>
  );
}
