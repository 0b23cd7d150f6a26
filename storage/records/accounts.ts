export interface Account {
  id: string;
  name: string;
  email: string | null;
  plan: string;
  disabled: boolean;
  createdAt: string;
}
