import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose(): void;
  children: ComponentChildren;
}

/** A modal dialog. The browser keeps the focus inside it and closes it on Escape. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) ref.current!.showModal();
    else ref.current!.close();
  }, [isOpen]);
  return (
    <dialog ref={ref} aria-labelledby={id} onClose={onClose}>
      <div class="dialog-title">
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </div>
      {isOpen && children}
    </dialog>
  );
}

interface ChoiceProps {
  confirm: ComponentChildren;
  cancel: string;
  kind?: 'danger' | 'primary';
  isBusy?: boolean;
  onConfirm(): void;
  onCancel(): void;
}

/** The two buttons below a question. */
export function Choice({ confirm, cancel, kind = 'danger', isBusy = false, onConfirm, onCancel }: ChoiceProps) {
  return (
    <div class="row">
      <button type="button" class={kind} aria-disabled={isBusy} onClick={() => isBusy || onConfirm()}>
        {confirm}
      </button>
      <button type="button" onClick={onCancel}>
        {cancel}
      </button>
    </div>
  );
}
