/** By error code, the command with which the operator of the service removes the cause. */
const COMMANDS: Readonly<Record<string, string>> = {
  scope_required: 'imagecrew admin key create --account default --scopes ai',
  model_unavailable: 'imagecrew models pull',
  upgrade_required: 'imagecrew admin account update --account default --plan pro',
};

export const operatorCommand = (code: string): string | undefined => COMMANDS[code];
