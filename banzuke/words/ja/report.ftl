# 報告書の見出しと文。
report-unofficial = VALID だが公式記録ではない：{ $rule }が必要
